"""Type checkers know what the package takes and gives: mypy reads what users write."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE

HERE = Path(__file__).parent

pytest.importorskip("mypy")


def reported(file, folder):
    """The lines that mypy reports, and all that it says."""
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(folder / "cache")]
    # In another folder, so that the package is found where users have it.
    done = subprocess.run([*words, str(HERE / file)], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1), said
    return {int(line) for line in re.findall(rf"{file}:(\d+): error", said)}, said


def test_what_users_write_is_typed(tmp_path):
    lines, said = reported("typed_user.py", tmp_path)
    assert not lines and said.startswith("Success"), said


def test_mistakes_are_found_and_nothing_else(tmp_path):
    text = (HERE / "typed_mistakes.py").read_text(encoding="utf-8")
    planted = {at for at, line in enumerate(text.splitlines(), 1) if "# mistake:" in line}
    lines, said = reported("typed_mistakes.py", tmp_path)
    assert len(planted) > 4 and lines == planted, said
