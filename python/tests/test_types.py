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


def said(cache, folder, *words):
    """What mypy says, as it is called in a folder."""
    words = [sys.executable, "-m", "mypy", "--cache-dir", str(cache), *words]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def said_to_user(file, folder):
    # Not in the folder of the package, so that it is found where users have it.
    return said(folder / "cache", folder, "--strict", "--config-file", os.devnull, str(HERE / file))


def test_what_users_write_is_typed(tmp_path):
    text = said_to_user("typed_user.py", tmp_path)
    assert text.startswith("Success"), text


def test_mistakes_are_found_and_nothing_else(tmp_path):
    text = (HERE / "typed_mistakes.py").read_text(encoding="utf-8")
    planted = {at for at, line in enumerate(text.splitlines(), 1) if "# mistake:" in line}
    found = said_to_user("typed_mistakes.py", tmp_path)
    lines = {int(line) for line in re.findall(r"typed_mistakes\.py:(\d+): error", found)}
    assert len(planted) > 4 and lines == planted, found


def test_the_package_agrees_with_its_own_types(tmp_path):
    text = said(tmp_path / "cache", HERE.parent)
    assert text.startswith("Success"), text
