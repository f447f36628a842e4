"""The notebooks run, and show what they showed when they were written.

`TOOLJUDGE_NOTEBOOKS=write python/test tests/test_notebooks.py` writes their outputs anew; the difference belongs in the review.
"""

import html
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("matplotlib")

FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
WRITES = os.environ.get("TOOLJUDGE_NOTEBOOKS") == "write"
MOST_BYTES = 250_000
# What tells one machine or one moment from another.
PARTICULARS = ["/tmp/", "/home/", "/root/", "/Users/", "/var/", "C:\\", "127.0.0.1", "localhost:", "rows/s", "Warning: "]


def executed(name, folder):
    """The notebook, executed beside copies of what it reads."""
    shutil.copytree(ROOT / "datasets", folder / "datasets", ignore=shutil.ignore_patterns("*.labeled.*", "*.run.json"))
    place = folder / "notebooks"
    place.mkdir()
    for helper in FOLDER.glob("*.py"):
        shutil.copy(helper, place)
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=100, record_timing=False, coalesce_streams=True, resources={"metadata": {"path": str(place)}}
    )
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # A bar of progress comes and goes as time has it, and leaves an empty place.
            cell.outputs = [
                output for output in cell.outputs if not re.fullmatch(r"\s*", output.get("data", {}).get("text/html", "-"))
            ]
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def shown(cell):
    """The texts that a cell shows, in a form that another version of a library's style sheet does not change."""
    texts = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            texts.append(f"{output.name}: {output.text}")
        elif output.output_type == "error":
            texts.append(f"{output.ename}: {output.evalue}")
        elif "text/html" in output.data:
            plain = re.sub(r"<style.*?</style>|<[^>]+>", " ", output.data["text/html"], flags=re.DOTALL)
            texts.append(html.unescape(plain))
        elif "image/png" in output.data:
            texts.append("a picture")
        else:
            texts.append(output.data["text/plain"])
    return [" ".join(text.split()) for text in texts]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_shows_what_it_would_show_today(name, tmp_path, monkeypatch):
    # The kernel is this Python, whatever kernels are installed for the user.
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    monkeypatch.setenv("JUPYTER_PATH", str(Path(sys.prefix) / "share/jupyter"))
    for variable in ["OPENAI_API_KEY", "OPENAI_BASE_URL"]:
        monkeypatch.delenv(variable, raising=False)
    notebook = executed(name, tmp_path)
    if WRITES:
        (FOLDER / f"{name}.ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    kept = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    for at, (was, now) in enumerate(zip(kept.cells, notebook.cells, strict=True)):
        assert shown(was) == shown(now), (
            f"cell {at} of {name} shows something else now:\n{now.source}\n"
            "TOOLJUDGE_NOTEBOOKS=write python/test tests/test_notebooks.py writes it; read whether the text still holds"
        )


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_small_and_names_no_machine(name):
    path = FOLDER / f"{name}.ipynb"
    assert path.stat().st_size < MOST_BYTES
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert [cell.cell_type for cell in notebook.cells][0] == "markdown"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    pictures = 0
    for at, cell in enumerate(notebook.cells):
        assert not cell.metadata, f"cell {at} has metadata"
        texts = shown(cell)
        assert not any(text.startswith("stderr: ") for text in texts), texts
        assert not [word for word in PARTICULARS for text in texts if word in text], texts
        if "a picture" in texts:
            pictures += 1
            # Who cannot see the picture reads what it says.
            assert notebook.cells[at + 1 : at + 2] and (
                notebook.cells[at + 1].cell_type == "markdown" or notebook.cells[at + 2].cell_type == "markdown"
            ), f"no sentence after the picture of cell {at}"
    assert pictures
