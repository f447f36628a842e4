"""Runs the binary for the notebooks: in a folder of its own, gone afterwards, with the data sets beside it."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
BINARY = os.environ.get("TOOLJUDGE") or shutil.which("tooljudge") or str(REPOSITORY / "target/release/tooljudge")

_folder = tempfile.TemporaryDirectory(prefix="tooljudge-")
FOLDER = Path(_folder.name)
shutil.copytree(REPOSITORY / "datasets", FOLDER / "datasets")


def tooljudge(arguments: str, ends_with: int = 0) -> None:
    """Runs `tooljudge ARGUMENTS` and shows what it says, but for how long it took: a notebook should come out the same each time.

    An exit code other than `ends_with` is an error, as it would be in a shell script with `set -e`.
    """
    print(f"$ tooljudge {arguments}")
    run = subprocess.run(
        [BINARY, *shlex.split(arguments)],
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
    )
    said = re.sub(r" in \S+(?: s)?, \S+ rows/s", "", run.stdout).rstrip()
    if said:
        print(said)
    if run.returncode or not said:
        print(f"(exit code {run.returncode})")
    if run.returncode != ends_with:
        raise RuntimeError(f"tooljudge ended with {run.returncode}, not with {ends_with}")
