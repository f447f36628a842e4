"""Labels batches on the workers of a cluster, the same on each engine; invalid options are refused before anything is sent."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import uuid
import warnings

from . import _carried, _run
from ._errors import JudgeError, SettingsError, ToolJudgeWarning
from ._flags import ClusterOptions
from ._jobs import label
from ._judge import Judge
from ._shared_store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

_SETTINGS = "tooljudge.toml"
# So many seconds the workers of a job hold a judge for dead that one of them found dead: engines give a failed task to others at once.
_DEAD_FOR = 60


class Job:
    """Labels batches as `tooljudge.label` does, with the options, settings and files of the process that made it. Each worker gets a
    copy."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        path = given.pop("config", None) or (_SETTINGS if os.path.exists(_SETTINGS) else None)
        self._settings = None if path is None else _carried.Settings(os.fspath(path))
        defaults, entries = ({}, {}) if self._settings is None else _checked(self._settings)
        told = {**defaults, **given}
        judges = told.get("judge") or "builtin"
        judges = [judges] if isinstance(judges, str) or not hasattr(judges, "__iter__") else list(judges)
        asks = any(_is_model(judge, entries) for judge in judges)
        # The built-in judge keeps nothing, and functions only what is to be kept.
        keeps = asks or any(not isinstance(judge, str) for judge in judges)
        self.store = Store(told.get("store")) if asks or keeps and told.get("store") else None
        files = {name: _carried.carried(name, told[name]) for name in _carried.OPTIONS if name in told}
        self._options = {**given, **files, **({"store": self.store.name if self.store else False} if keeps else {})}
        # Without rows nothing is kept, nor taken from anything that is.
        self._none = {"store": False, "purse": None, "fresh": None, "retry": None, "keep_prompts": None} if keeps else {}
        self.id = uuid.uuid4().hex
        if asks and told.get("max_cost"):
            # Each batch is a run: all of them have one purse in the store.
            self._options |= {"max_cost": told["max_cost"], "purse": f"job {self.id}"}

    # Engines show what a task is made of, and a key may be among the options.
    def __repr__(self) -> str:
        return f"<tooljudge job {self.id}>"

    def __dask_tokenize__(self) -> str:
        return self.id

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Record batches of pyarrow to labelled ones."""
        for batch in batches:
            yield from self.label(batch).combine_chunks().to_batches()

    def label_none(self, empty: Any) -> tuple[Any, list[str]]:
        """A frame without rows, labelled, and the names of our columns: mistakes in options show, and nobody is asked."""
        said: list[str] = []
        made, run = self._label(empty, {**self._none, "return_summary": True}, said.append)
        for text in said:
            if not text.startswith("the input has no rows"):
                warnings.warn(text, ToolJudgeWarning, stacklevel=4)
        names = list(getattr(made, "column_names", None) or made.columns)
        return made, names[names.index(run["panel"][0]["prefix"] + "label") :]

    def label(self, data: Any) -> Any:
        """A frame of any kind, labelled. What all batches would warn of is logged instead."""
        import logging

        if self.store is not None:
            self.store.check()
        end = os.path.join(tempfile.gettempdir(), f"tooljudge-{self.id}.ended")
        _raise_again(end)
        try:
            return self._label(data, {}, logging.getLogger("tooljudge").warning)
        except JudgeError as error:
            _remember(end, str(error))
            raise

    def _label(self, data: Any, more: Mapping[str, Any], hears: Callable[[str], None]) -> Any:
        token = _run.HEARS_WARNINGS.set(hears)
        try:
            with tempfile.TemporaryDirectory(prefix="tooljudge-") as folder:
                options: dict[str, Any] = {name: _carried.put(value, folder) for name, value in self._options.items()}
                if self._settings is not None:
                    options["config"] = self._settings.put(folder)
                elif os.path.exists(_SETTINGS):
                    # It lies where this worker happens to work.
                    options["config"] = os.devnull
                # A batch is a part of a table, whatever its rows look like, and what is told of all rows cannot be told of it.
                return label(data, **{**options, **more}, from_="rows", allow_unjudged=1.0, progress=False)
        finally:
            _run.HEARS_WARNINGS.reset(token)


def _checked(settings: _carried.Settings) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a settings file says of the options, and its judges."""
    defaults = settings.read.get("label", {})
    for name in defaults:
        if name not in ClusterOptions.__annotations__:
            raise SettingsError(
                f"{settings.name}: [label] sets `{name}`, which is of a whole run, and on a cluster each batch is one: take it out, or give "
                "another file as config=..."
            )
    return defaults, settings.read.get("judges", {})


def _is_model(judge: Any, entries: Mapping[str, Any]) -> bool:
    """Whether a judge is behind an endpoint."""
    if isinstance(judge, Judge):
        return judge.model is not None
    if not isinstance(judge, str):
        return False
    name = entries.get(judge, {}).get("judge", judge)
    return not (name == "builtin" or name.startswith("builtin:"))


def _remember(end: str, said: str) -> None:
    """Notes what ended this job. Without a place for it, others find out by themselves."""
    with (
        contextlib.suppress(OSError),
        open(end, "w", encoding="utf-8", opener=lambda path, how: os.open(path, how, 0o600)) as file,
    ):
        file.write(said)


def _raise_again(end: str) -> None:
    """Raises what ended this job a moment ago on this machine, so that nobody is asked again for the same answer."""
    try:
        if time.time() - os.stat(end).st_mtime > _DEAD_FOR:
            return
        with open(end, encoding="utf-8") as file:
            said = file.read()
    except OSError:
        return
    raise JudgeError(said)
