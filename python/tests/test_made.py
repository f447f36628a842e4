"""The frame that files become: how it shows itself, and what can be done with it as it is."""

import html
import json
import pickle
import re
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import rows

import tooljudge as tj

pytestmark = pytest.mark.filterwarnings("ignore::tooljudge.ToolJudgeWarning")


@pytest.fixture
def frame():
    return of_rows(rows()[:3])


def of_rows(rows, **options):
    with open("rows.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return tj.label("rows.jsonl", **options)


def cells(page):
    """The names of the columns, and the texts of the cells by row, as the page shows them."""
    names = [html.unescape(name) for name in re.findall(r"<th>(.*?)</th>", page)]
    rows = re.findall(r"<tr>(<td.*?)</tr>", page, re.DOTALL)
    return names, [re.findall(r"<td><div>(.*?)</div></td>", row, re.DOTALL) for row in rows]


def test_a_notebook_shows_the_labels_first_and_the_rows_low(frame):
    page = frame._repr_html_()
    names, shown = cells(page)
    assert names[:3] == ["label", "score", "status"] and names.index("explanation") < names.index("question")
    # Columns that say nothing of these rows are no news.
    assert names.index("error") > names.index("tool_definitions") and names.index("raw_reply") > names.index("question")
    assert sorted(names) == sorted(frame.columns) and [row[0] for row in shown] == ["correct", "correct", "incorrect"]
    assert page.startswith('<div class="tooljudge">') and "max-width: 22em; max-height: 4.5em; overflow: hidden" in page
    assert page.endswith("<p>3 rows</p>")
    # What holds nothing is empty, and what holds a dict is JSON.
    assert shown[0][names.index("error")] == ""
    assert html.unescape(shown[0][names.index("tool_call")]) == json.dumps(rows()[0]["tool_call"])


def test_a_long_cell_is_cut_between_characters():
    row = {**rows()[0], "note": '"' * 1000, "page": "<b>&" * 100}
    names, shown = cells(of_rows([row] * 25)._repr_html_())
    assert len(shown) == 20
    for name in ("note", "page"):
        text = shown[0][names.index(name)]
        assert text.endswith("…") and len(html.unescape(text)) <= 160
        # All of it is entities or letters; none was cut.
        assert re.fullmatch(r"(&(quot|lt|gt|amp);|[b…])+", text)


def test_prefixes_and_what_has_no_labels():
    names, _ = cells(of_rows(rows()[:2], task=["tool_selection", "parameter_extraction"], decide="always")._repr_html_())
    assert names[0] == "tool_selection_label" and names.index("parameter_extraction_label") < names.index("question")
    made = tj.convert("rows.jsonl")
    assert cells(made._repr_html_())[0] == made.columns


def test_rows_columns_and_parts(frame):
    expected = ["correct", "correct", "incorrect"]
    assert frame["label"] == expected and [row["label"] for row in frame] == expected
    assert frame[0] == frame.to_dicts()[0] and frame[-1]["label"] == "incorrect" and frame[1:] == frame.to_dicts()[1:]
    with pytest.raises(KeyError, match="no column `lable`.*question"):
        frame["lable"]
    head = frame.head(2)
    assert isinstance(head, tj.Frame) and len(head) == 2 and head["label"] == expected[:2] and len(frame.head(9)) == 3
    assert head.to_dicts() == frame.to_dicts()[:2] and "<p>2 rows</p>" in head._repr_html_()
    part = frame[["question", "label"]]
    assert part.columns == ["question", "label"] and part.to_pandas()["label"].tolist() == expected
    assert cells(part._repr_html_())[0] == ["label", "question"]
    for one in (pl.DataFrame(head), pa.table(head)):
        assert one.shape == (2, len(frame.columns))
    again = pickle.loads(pickle.dumps(frame.head(1)))
    assert again.to_dicts() == frame.to_dicts()[:1] and cells(again._repr_html_())[0] == cells(frame._repr_html_())[0]
    # A frame is a table for every job.
    assert len(tj.label(frame, prefix="again_")) == 3


def test_pandas_makes_a_frame_of_it(frame):
    made = pd.DataFrame(frame)
    assert list(made.columns) == frame.columns and list(made["label"]) == frame["label"]
    assert made["tool_call"][0] == rows()[0]["tool_call"]


@pytest.mark.parametrize(("method", "library"), [("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow")])
def test_a_library_that_is_missing_is_named_once(frame, monkeypatch, method, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=f"`{method}` needs {library}, .* pip install {library}") as caught:
        getattr(frame, method)()
    assert caught.value.__suppress_context__ and caught.value.__cause__ is None


def test_to_pandas_needs_no_pyarrow(monkeypatch):
    table = [{**row, "id": 2**53 + at if at else None, "none": None} for at, row in enumerate(rows()[:3])]
    whole = of_rows(table)
    expected = whole.to_pandas().dtypes.to_dict()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = whole.to_pandas()
    assert list(found.columns) == list(expected) and found["id"].tolist() == [pd.NA, 2**53 + 1, 2**53 + 2]
    numbers = [name for name, dtype in expected.items() if pd.api.types.is_numeric_dtype(dtype)]
    assert {"id", "score", "prompt_tokens", "cost_usd", "latency_ms"} <= set(numbers)
    assert {name: found[name].dtype for name in numbers} == {name: expected[name] for name in numbers}
    assert whole.head(1).to_pandas()["label"].tolist() == ["correct"]
