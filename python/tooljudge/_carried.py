"""Sends the contents of files that options name to workers that may not have them."""

from __future__ import annotations

import copy
import json
import os
import tempfile

from . import _native, templates
from ._errors import SettingsError
from ._judge import Judge
from ._words import in_python

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


class Settings(Carried):
    """A settings file, with the files that its judges name."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        try:
            text = self.contents.decode()
            self.read: dict[str, Any] = json.loads(_native.settings(text))
        except ValueError as error:
            raise SettingsError(f"{path}: {in_python(str(error))}") from error
        self._files: dict[str, Carried] = {}
        for name, entry in self.read.get("judges", {}).items():
            for key in ("judge", "ca_cert"):
                file = carried(key, entry.get(key))
                if not isinstance(file, Carried):
                    continue
                if not any(quoted in text for quoted in _quoted(entry[key])):
                    raise SettingsError(f"{path}: [judges.{name}] {key}: write the path without escapes, so that workers can be given the file")
                self._files[entry[key]] = file

    def put(self, folder: str) -> str:
        text = self.contents.decode()
        for name, file in self._files.items():
            for quoted in _quoted(name):
                text = text.replace(quoted, json.dumps(file.put(folder), ensure_ascii=False))
        path = os.path.join(tempfile.mkdtemp(dir=folder), self.name)
        with open(path, "w", encoding="utf-8") as to:
            to.write(text)
        return path


def _quoted(text: str) -> tuple[str, str]:
    """The text as a settings file may hold it."""
    return f'"{text}"', f"'{text}'"


class CarriedJudge:
    """A judge behind an endpoint, with the certificates that it trusts."""

    def __init__(self, judge: Judge, certificates: Carried) -> None:
        self._judge, self._certificates = judge, certificates

    def put(self, folder: str) -> Judge:
        judge = copy.copy(self._judge)
        judge.settings = {**judge.settings, "ca_cert": self._certificates.put(folder)}
        return judge


def carried(option: str, value: Any) -> Any:
    """The value of an option, with files in the places of their names."""
    if isinstance(value, (list, tuple)):
        return [carried(option, one) for one in value]
    if isinstance(value, Judge):
        certificates = carried("ca_cert", value.settings.get("ca_cert"))
        return CarriedJudge(value, certificates) if isinstance(certificates, Carried) else value
    if isinstance(value, (str, os.PathLike)):
        name = str(os.fspath(value))
        before = _MODEL if name.startswith(_MODEL) else ""
        path = name.removeprefix(before)
        # A judge is a file only behind its mark, whatever files there are.
        if (before or option not in ("judge", "first")) and os.path.isfile(path) and not _is_shipped(option, path):
            return Carried(path, before)
    return value


def _is_shipped(option: str, name: str) -> bool:
    """Whether it is a template of ours, which goes before a file of that name."""
    return option == "template" and name in templates.list()


def put(value: Any, folder: str) -> Any:
    """The same with the files in this folder."""
    if isinstance(value, list):
        return [put(one, folder) for one in value]
    return value.put(folder) if isinstance(value, (Carried, CarriedJudge)) else value
