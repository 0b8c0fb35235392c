"""The rules of the code that no linter checks: who imports whom, sizes, errors, documents, traces of a machine."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("signatures", "program", "eval", "optimize")  # none imports from one to its right
MAX_FILE_LINES = 300  # of the package; a file of tests may be longer
MAX_FUNCTION_LINES = 50
COMMAND_LINE = ("optimize/cli", "optimize/commands/")
MLFLOW_ONLY_IN = {
    "eval/tracing.py",
    "eval/tracking.py",
    "eval/registry.py",
    "eval/serving_model.py",
}  # its import takes seconds

SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MACHINE_PATH = re.compile(r"(?<![\w.)}~-])/(?:root|work|tmp|opt|home/\w+|Users/\w+)\b(?!:)|\b[A-Z]:\\Users\b")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|(?:index|registry|find)[-_](?:url|links)\b|@ (?:file|https?):", re.IGNORECASE
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=name_of(path))


def imported_by_statement(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = package[: len(package) - node.level + 1] if node.level else ()
        base = ".".join([*start, *([node.module] if node.module else [])])
        yield from (f"{base}.{alias.name}" for alias in node.names)


def imported_by_call(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and name_called(node).endswith("import_module"):
        yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))


def name_called(call: ast.Call) -> str:
    """The last part of it: `g` of `f.g()`."""
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def imports(tree: ast.Module, place: str) -> list[tuple[int, str]]:
    """Line and full name of all that the file at this place (`room/module.py`) imports, at any depth."""
    package = ("hopstop", *place.split("/")[:-1])
    return [
        (getattr(node, "lineno", 0), name)
        for node in ast.walk(tree)
        for name in (*imported_by_statement(node, package), *imported_by_call(node))
    ]


def wrong_imports(tree: ast.Module, place: str) -> list[str]:
    allowed = ROOMS[: ROOMS.index(place.split("/")[0]) + 1]
    wrong = []
    for line, name in imports(tree, place):
        first, *rest = name.split(".")
        if first in ROOMS or (first == "hopstop" and rest[:1] not in [[room] for room in allowed]):
            wrong.append(f"{place}:{line} imports {name}")
    return wrong


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def catches_everything(handler: ast.ExceptHandler) -> bool:
    names = {ast.unparse(node) for node in ast.walk(handler.type)} if handler.type else {"BaseException"}
    raises_again = any(isinstance(node, ast.Raise) and node.exc is None for node in ast.walk(handler))
    return bool(names & {"Exception", "BaseException"}) and not raises_again


def public_definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in body:
        if isinstance(node, (Function, ast.ClassDef)) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body, f"{prefix}{node.name}.")


def tracked_files() -> list[Path]:
    """Files that are, or would be, in the repository; all but what tools make where there is no repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [name_of(path) for path in (*SOURCES, *TESTS)]
    return sorted(path for name in listed if name and (path := ROOT / name).is_file())


def test_rooms_are_found() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in SOURCES} == set(ROOMS)


def test_no_room_imports_from_one_to_its_right() -> None:
    assert [found for path in SOURCES for found in wrong_imports(tree_of(path), name_of(path))] == []


def test_only_what_talks_to_mlflow_imports_it() -> None:
    files = {
        name_of(path)
        for path in SOURCES
        for _, name in imports(tree_of(path), name_of(path))
        if name.split(".")[0] == "mlflow"
    }
    assert files <= MLFLOW_ONLY_IN


def test_files_are_short() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {
        f"{name_of(path)}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in (*SOURCES, *TESTS)
        for node in functions(tree_of(path))
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_only_the_command_line_prints() -> None:
    prints = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCES
        if not name_of(path).startswith(COMMAND_LINE)
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")
        or (isinstance(node, ast.Attribute) and node.attr == "stdout" and ast.unparse(node) == "sys.stdout")
    ]
    assert prints == []


def test_no_handler_swallows_every_exception() -> None:
    handlers = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler) and catches_everything(node)
    ]
    assert handlers == []


def test_every_public_name_is_documented() -> None:
    missing = [
        f"{name_of(path)}: {name}"
        for path in SOURCES
        for tree in [tree_of(path)]
        for name, node in [("the module", tree), *public_definitions(tree.body)]
        if (ast.get_docstring(node) or "TODO") == "TODO"
    ]
    assert missing == []


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["path of a machine", "address of a registry"])
def test_no_tracked_file_depends_on_one_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name_of(path)}:{number} {hit.group()}"
        for path in tracked_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        for hit in pattern.finditer(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("from hopstop.program import loop", ["hopstop.program.loop"]),
        ("from hopstop import optimize", ["hopstop.optimize"]),
        ("from ..program.records import Hit", ["hopstop.program.records.Hit"]),
        ("def f():\n    import hopstop.eval.run", ["hopstop.eval.run"]),
        ("import_module('hopstop.eval')", ["hopstop.eval"]),
        ("import program", ["program"]),
        ("from hopstop.signatures.decide import Decide\nimport dspy", []),
    ],
)
def test_an_import_to_the_right_is_seen_in_every_form(line: str, wrong: list[str]) -> None:
    found = wrong_imports(ast.parse(line), "signatures/module.py")
    assert [text.split(" imports ")[1] for text in found] == wrong


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("out = '" + "/" + "root/x'", True),
        ("cd " + "/" + "home/ada", True),
        ("see " + "/" + "tmp/a", True),
        ("../work/x https://example.org/home/page a/tmp/b ~/work", False),
    ],
)
def test_path_of_a_machine_is_recognised(text: str, found: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is found
