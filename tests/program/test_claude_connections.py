from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import anthropic
import httpx2
import pytest

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.eval.prompt_meter import PromptMeter
from hopstop.program import claude_connections
from hopstop.program.claude import claude
from hopstop.program.claude_connections import awaiting_http, blocking_http

NO_PROXY: dict[str, str] = {}


def told(_body: dict[str, Any], _meter: PromptMeter) -> Reply:
    return Reply(body=json.dumps(stand_in.message("fine", {"input_tokens": 1, "output_tokens": 1})).encode())


def slow(_body: dict[str, Any], _meter: PromptMeter) -> Reply:
    return Reply(body=b"{}", silence=0.1)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.getproxies", lambda: NO_PROXY)


def post(client: httpx2.Client, url: str) -> int:
    return client.post(f"{url}/v1/messages", json={}).status_code


def test_one_after_the_other_they_share_a_connection_which_is_closed_at_the_end() -> None:
    with FaultServer(told) as server:
        client = blocking_http()
        assert client is not None
        assert [post(client, server.url) for _ in range(5)] == [200] * 5
        assert server.connections == 1
        client.close()
        wait_until_left(server)


def test_calls_at_once_have_a_connection_each_which_later_calls_use_again() -> None:
    with FaultServer(slow) as server, ThreadPoolExecutor(4) as pool:
        client = blocking_http()
        assert client is not None
        for _ in range(3):
            together = Barrier(4)
            list(pool.map(lambda _, barrier=together: (barrier.wait(), post(client, server.url)), range(4)))
        assert server.connections == 4
        client.close()
        wait_until_left(server)


def test_on_an_event_loop_too() -> None:
    async def ask(url: str) -> int:
        client = awaiting_http()
        assert client is not None
        async with client:
            for _ in range(3):
                sent = [client.post(f"{url}/v1/messages", json={}) for _ in range(4)]
                assert [reply.status_code for reply in await asyncio.gather(*sent)] == [200] * 4
            return server.connections

    with FaultServer(slow) as server:
        assert asyncio.run(ask(server.url)) == 4
        wait_until_left(server)


def test_no_more_are_kept_than_the_bound_and_none_longer_than_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(slow) as server, ThreadPoolExecutor(4) as pool:
        client = blocking_http()
        assert client is not None
        monkeypatch.setattr(claude_connections, "MOST_IDLE", 2)
        list(pool.map(lambda _: post(client, server.url), range(4)))
        wait_until_left(server, but=2)
        monkeypatch.setattr(claude_connections, "IDLE_SECONDS", 0.0)
        post(client, server.url)
        wait_until_left(server, but=1)
        client.close()


def test_a_connection_that_was_reset_is_not_used_again() -> None:
    resets = iter([True, False, False])
    with FaultServer(lambda *_: Reply(body=b"{}", reset=next(resets))) as server:
        client = blocking_http()
        assert client is not None
        with pytest.raises(httpx2.TransportError):
            post(client, server.url)
        assert [post(client, server.url) for _ in range(2)] == [200, 200]
        client.close()


def test_the_clients_of_an_lm_use_them_unless_one_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(told) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        lm = claude("claude-x", cache=False)
        assert lm("Is water wet?") == ["fine"]
        assert isinstance(transport(lm), claude_connections.Connections)
        lm.close()
        wait_until_left(server)
        with anthropic.Anthropic(api_key="made-up", base_url=server.url) as client:
            assert not isinstance(transport(claude("claude-x", client=client)), claude_connections.Connections)


def test_where_a_proxy_is_set_the_sdk_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"https": "http://127.0.0.1:1"})
    assert blocking_http() is None
    assert awaiting_http() is None


def transport(lm: Any) -> object:  # noqa: ANN401
    return lm.engine.clients.blocking()._client._transport


def wait_until_left(server: FaultServer, but: int = 0) -> None:
    for _ in range(500):
        if server.connections == but:
            return
        time.sleep(0.01)
    raise AssertionError(f"{server.connections} connections are open, not {but}")
