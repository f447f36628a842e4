"""Executes notebooks in place, and keeps of their outputs only what is the same on every machine and each time."""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent

os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
for path in map(Path, sys.argv[1:]):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        extra_arguments=["--log-level=ERROR"],
        timeout=600,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    ).execute()
    notebook.metadata.language_info = {"name": "python"}
    text = nbformat.writes(notebook)
    for place in (FOLDER.parent, tempfile.gettempdir()):
        if f"{place}/" in text:
            sys.exit(f"{path.name}: an output names {place}")
    path.write_text(text + "\n", encoding="utf-8")
    print(f"executed {path.name}")
