"""The pages for Python users say what the package does: every ```python block runs, and prints the ```text block that follows it.

`TOOLJUDGE_DOCS=write python/test tests/test_docs.py` writes what is printed into the pages; review the difference.
"""

import ast
import asyncio
import contextlib
import importlib.util
import io
import os
import re

import pandas as pd
import pytest
from conftest import ROOT

PAGES = ["README.md", "python/README.md", "docs/python.md", "docs/own-agent.md"]
# Of these pages, only this part is Python in a process of one's own.
PARTS = {"docs/own-agent.md": "## A function in Python"}
# The price of the model that the pages name, since only its own address has a price.
SETTINGS = '[prices."openai:gpt-5-mini"]\ninput = 0.25\noutput = 2.0\n'


# A block of Python, and the block of text that follows it, if one does.
BLOCK = re.compile(
    r"^```python\n(.*?)^```\n(?:\s*(?:^<!-- figures: within (?P<within>[0-9.]+) -->\n\s*)?^```text\n(?P<text>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
DECIMAL = re.compile(r"-?\b\d*\.\d+\b")


@pytest.fixture
def judge_server():
    """The stand-in of the notebooks."""
    spec = importlib.util.spec_from_file_location("judge_server", ROOT / "notebooks/judge_server.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.start()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")
def test_every_block_runs_and_prints_what_is_shown(page, judge_server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", judge_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "nobody's")
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    (tmp_path / "tooljudge.toml").write_text(SETTINGS)
    names = {"__name__": "__main__", "df": pd.read_csv("datasets/quickstart.csv").head(20)}
    text = (ROOT / page).read_text(encoding="utf-8")
    start = text.index(PARTS[page]) if page in PARTS else 0
    end = text.index("\n## ", start) if page in PARTS else len(text)
    found = [(block, printed(block, text, page, names)) for block in BLOCK.finditer(text, start, end)]
    assert found
    if os.environ.get("TOOLJUDGE_DOCS") == "write":
        for block, now in reversed(found):
            if block["text"] is not None:
                text = text[: block.start("text")] + now + text[block.end("text") :]
        (ROOT / page).write_text(text, encoding="utf-8")
    else:
        for block, now in found:
            assert block["text"] is None or agrees(block, now), f"{page} prints something else now after\n{block[1]}\n{now}"


def agrees(block, now):
    """Whether the block prints what is shown. Decimal numbers may differ as far as a comment above the text says."""
    if not block["within"]:
        return block["text"] == now
    numbers = [[float(number) for number in DECIMAL.findall(text)] for text in (block["text"], now)]
    words = [DECIMAL.sub("<decimal>", text).split() for text in (block["text"], now)]
    return words[0] == words[1] and all(abs(one - other) <= float(block["within"]) for one, other in zip(*numbers, strict=True))


def printed(block, text, page, names):
    """What the block prints. Errors name the page's lines, and `await` works as in a notebook."""
    said = io.StringIO()
    lines_above = text[: block.start(1)].count("\n")
    code = compile("\n" * lines_above + block[1], str(ROOT / page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(said):
        waiting = eval(code, names)
        if waiting is not None:
            asyncio.run(_finished(waiting))
    return said.getvalue()


async def _finished(coroutine):
    await coroutine
