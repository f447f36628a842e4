"""Tells which of an agent's logged tool calls were right.

>>> import tooljudge as tj
>>> rows = [{"question": "Weather in Oslo?", "tool_call": "weather(town='Oslo')",
...          "tool_definitions": '[{"name": "weather", "parameters": {"properties": {"city": {}}}}]'}]
>>> tj.label(rows)[0]["label"]
'incorrect'

Frames in, the same kind of frame out: pandas, polars, pyarrow, lists of dicts, paths. The options are those of the command line
(`tooljudge label --help`), with underscores.
"""

from . import _native
from ._errors import (
    InputError,
    Interrupted,
    JudgeError,
    OutputError,
    SettingsError,
    StoreError,
    ToolJudgeError,
    ToolJudgeWarning,
)
from ._findings import findings
from ._functions import Function
from ._jobs import convert, gold, label, label_batches, resnap, score
from ._judge import Judge
from ._next import next
from ._records import drive, merge, store_merge, store_prune, store_stat, suite_from_log, train
from ._reports import Audit, BenchReport, Comparison, Report, audit, bench, compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import aio, daft, dask, ray, spark, templates
    from ._made import Frame
    from ._tasks import tasks
    from ._tools import CaseOver, Messages, Tools

__version__ = _native.__version__
__all__ = [
    "Audit",
    "BenchReport",
    "CaseOver",
    "Comparison",
    "Frame",
    "Function",
    "InputError",
    "Interrupted",
    "Judge",
    "JudgeError",
    "Messages",
    "OutputError",
    "Report",
    "SettingsError",
    "StoreError",
    "ToolJudgeError",
    "ToolJudgeWarning",
    "Tools",
    "aio",
    "audit",
    "bench",
    "compare",
    "convert",
    "drive",
    "findings",
    "gold",
    "label",
    "label_batches",
    "merge",
    "next",
    "resnap",
    "score",
    "store_merge",
    "store_prune",
    "store_stat",
    "suite_from_log",
    "tasks",
    "templates",
    "train",
]


# Modules that are not imported before somebody needs them.
_LATER = ("aio", "daft", "dask", "ray", "spark", "templates")
# Names of the same kind, and the modules that they are in.
_NAMES = {"CaseOver": "_tools", "Frame": "_made", "Messages": "_tools", "Tools": "_tools", "tasks": "_tasks"}
# Commands whose functions have other names, and those that are none.
_COMMANDS = {
    "review": "tooljudge.next draws rows to mark, and `tooljudge review` on the command line (in a notebook `!tooljudge review FILE`) shows them",
    "store": "use store_stat, store_prune and store_merge",
    "suite": "use suite_from_log",
    "trend": "run `tooljudge trend` on the command line (in a notebook `!tooljudge trend HISTORY`); docs/trend.md says how",
}


# To a type checker it would make any name one of ours.
if not TYPE_CHECKING:

    def __getattr__(name):
        # What not everybody needs is not imported before somebody does.
        if name in _LATER:
            import importlib

            return importlib.import_module(f"tooljudge.{name}")
        if name in _NAMES:
            import importlib

            return getattr(importlib.import_module(f"tooljudge.{_NAMES[name]}"), name)
        if name in _COMMANDS:
            raise AttributeError(f"tooljudge.{name} is not a function: {_COMMANDS[name]}")
        raise AttributeError(f"module 'tooljudge' has no attribute {name!r}")

    def __dir__():
        return [name for name in {**globals(), **_NAMES, **dict.fromkeys(_LATER)} if name != "TYPE_CHECKING"]
