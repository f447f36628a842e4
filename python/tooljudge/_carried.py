"""Files that options name, carried with their contents to workers that may not have them."""

from __future__ import annotations

import os
import tempfile

from ._errors import SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Options that may name a file.
OPTIONS = ("tools", "template", "calibration", "judge", "first")
# What stands before the file of a trained judge.
_MODEL = "builtin:"


class Carried:
    """A file by its name, with its contents."""

    def __init__(self, path: str, before: str = "") -> None:
        self.name, self.before = os.path.basename(path), before
        try:
            with open(path, "rb") as file:
                self.contents = file.read()
        except OSError as error:
            raise SettingsError(f"cannot read {path}: {error.strerror}") from error

    def put(self, folder: str) -> str:
        path = os.path.join(tempfile.mkdtemp(dir=folder), self.name)
        with open(path, "wb") as file:
            file.write(self.contents)
        return self.before + path


def carried(option: str, value: Any) -> Any:
    """The value of an option, with files in the places of their names."""
    if isinstance(value, (list, tuple)):
        return [carried(option, one) for one in value]
    if isinstance(value, (str, os.PathLike)):
        name = str(os.fspath(value))
        before = _MODEL if name.startswith(_MODEL) else ""
        path = name.removeprefix(before)
        # A judge is a file only behind its mark, whatever files there are.
        if (before or option not in ("judge", "first")) and os.path.isfile(path):
            return Carried(path, before)
    return value


def put(value: Any, folder: str) -> Any:
    """The same with the files in this folder."""
    if isinstance(value, list):
        return [put(one, folder) for one in value]
    return value.put(folder) if isinstance(value, Carried) else value
