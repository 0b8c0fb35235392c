"""Hopstop in a web app: an answer as one document, or its rounds as they happen, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import FastAPI, Header, HTTPException
from fastapi.encoders import jsonable_encoder
from fastapi.responses import StreamingResponse

from hopstop.program import IterativeQA
from hopstop.program.errors import BadQuestion


def create_app(program: IterativeQA) -> FastAPI:
    app = FastAPI()

    # Groups come from your own sign-in. A header is as good only behind a proxy that sets it and drops the client's.
    def groups_of(header: str) -> frozenset[str]:
        return frozenset(name.strip() for name in header.split(",") if name.strip())

    @app.get("/ask")
    async def ask(question: str, x_groups: Annotated[str, Header()] = "") -> dict[str, object]:
        try:
            outcome = await program.acall(question, groups=groups_of(x_groups))
        except BadQuestion as error:
            raise HTTPException(422, str(error)) from error
        return {"answer": outcome.answer, "reason": outcome.reason, "explanation": outcome.explain()}

    @app.get("/stream")
    async def stream(question: str, x_groups: Annotated[str, Header()] = "") -> StreamingResponse:
        try:
            events = program.astream(question, groups=groups_of(x_groups))
        except BadQuestion as error:
            raise HTTPException(422, str(error)) from error

        async def lines() -> AsyncIterator[str]:  # a client that leaves ends the run
            async for event in events:
                yield json.dumps({"event": type(event).__name__.lower(), **jsonable_encoder(event)}) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    return app
