"""What the Rust half gives. None of it is public."""

from collections.abc import Sequence
from typing import Any, Protocol, final

__all__ = ["ROW", "Collected", "Conversation", "Environment", "Stop", "Table", "__version__", "main", "run", "tasks"]
__version__: str
ROW: str
"""The column that numbers the rows of a frame."""

@final
class Table:
    """A table that a job reads."""

    @staticmethod
    def of_stream(frame: Any) -> Table:
        """Of anything with `__arrow_c_stream__`."""
    @staticmethod
    def of_lines(text: bytes) -> Table:
        """Of a text in JSON Lines."""
    @staticmethod
    def empty(names: list[str]) -> Table:
        """Of columns of text without a row."""

@final
class Collected:
    """A table that a job made."""

    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def json_lines(self, first: int = 0) -> str:
        """The columns from the one at `first` on as a text in JSON Lines."""

@final
class Stop:
    """Stops a job that another thread waits for."""

    def __init__(self) -> None: ...
    def stop(self) -> None:
        """Asks nothing new, and waits for what is in flight; the second time, waits for nothing."""
    def is_told(self) -> bool:
        """Whether somebody asked it to stop."""

@final
class Conversation:
    """The agent's side of the conversation of an episode."""

    @property
    def case(self) -> str:
        """The case, as JSON."""
    def say(self, object: str) -> str | None:
        """Says an object of the protocol, and waits for a list of what there is to hear, as JSON; None where the case is over."""
    def fail(self, why: str, log: str) -> None:
        """Ends the case by the agent's fault."""
    def cancel(self, why: str) -> None:
        """Ends the case before it began."""
    def is_over(self) -> bool:
        """Whether the case is over."""

@final
class Environment:
    """An environment to play with by hand."""

    def __init__(self, task: str) -> None: ...
    def call(self, tool: str, arguments: str) -> tuple[str, bool]:
        """What a call with these arguments, a text of JSON, returns, and whether that is an error."""
    def state(self) -> str | None:
        """What it was left in; None where nothing changes."""

class _Listener(Protocol):
    judges: list[tuple[str, str]]
    agents: list[str]
    settings: dict[str, Any]
    variables: dict[str, str]
    verbose: int
    def said(self, kind: str, text: str) -> None: ...
    def judge(self, at: int, prompts: list[str]) -> list[tuple[bool, str]]: ...
    def drive(self, at: int, conversation: Conversation) -> None: ...
    def progress(self, name: str, done: int, rows: int | None) -> None: ...

def run(
    command: tuple[str, dict[str, Any], list[str]],
    tables: Sequence[Table],
    collect: bool,
    stop: Stop,
    listener: _Listener,
) -> tuple[str, str, Collected | None]:
    """Runs the command of that name with its options on inputs or tables: how it ended, what an error says, and its table."""

def tasks() -> str:
    """The built-in tasks, as JSON."""

def settings(text: str) -> str:
    """The settings file with this text, as JSON."""

def main(arguments: Sequence[str]) -> int:
    """Runs the program, as it is started with these arguments; its exit code."""
