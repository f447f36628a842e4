"""The built-in tasks, and their environments to try by hand."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Sequence
from typing import Any, overload

from . import _native
from ._tools import Result, Tools


class Environment:
    """The environment of a task, to play with by hand. Each has a state of its own.

    Attributes:
        tools: The task's tools, as an agent is given them.

    Example:
        >>> import tooljudge as tj
        >>> env = tj.tasks["langchain:typewriter-1"].environment()
        >>> env.tools["type_letter"](letter="a")
        'OK'
        >>> env.read_state()
        'a'
    """

    tools: Tools

    def __init__(self, task: Task) -> None:
        self._world = _native.Environment(task.name.partition(":")[2])
        self._task = task
        self.tools = Tools(task.tools, lambda name, arguments: Result(*self._world.call(name, arguments)))

    def read_state(self) -> str | None:
        """What the calls have made of it; None where nothing changes."""
        return self._world.state()

    def __repr__(self) -> str:
        return f"<environment of {self._task.name}>"


class Task:
    """A task of LangChain Benchmarks, for `tooljudge.drive`.

    Attributes:
        name: Such as `langchain:multiverse`.
        title: Its name in LangChain Benchmarks.
        instructions: What the agent is told before the question.
        cases: The ids of its cases.
    """

    name: str
    title: str
    instructions: str
    cases: list[str]

    def __init__(self, record: dict[str, Any]) -> None:
        self.name, self.title, self.instructions, self.cases = (record[key] for key in ("name", "title", "instructions", "cases"))
        self._tools = json.dumps(record["tools"])

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The definitions of its tools, as dicts."""
        found: list[dict[str, Any]] = json.loads(self._tools)
        return found

    def environment(self) -> Environment:
        """A fresh environment."""
        return Environment(self)

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        return f"<task {self.name}: {len(self.cases)} cases, {len(self.tools)} tools>"


class Tasks(Sequence[Task]):
    """Tasks, by number, by name (`tasks["langchain:multiverse"]`, or LangChain's own name) and as slices."""

    def __init__(self, tasks: list[Task]) -> None:
        self._tasks = tasks

    @overload
    def __getitem__(self, key: int | str) -> Task: ...
    @overload
    def __getitem__(self, key: slice) -> Tasks: ...
    def __getitem__(self, key: int | str | slice) -> Task | Tasks:
        if isinstance(key, slice):
            return Tasks(self._tasks[key])
        if not isinstance(key, str):
            return self._tasks[key]
        found = next((task for task in self._tasks if key in (task.name, task.title)), None)
        if found is None:
            raise KeyError(f"there is no task {key!r}; there are: {', '.join(task.name for task in self._tasks)}")
        return found

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def filter(self, pattern: str) -> Tasks:
        """The tasks whose name, ours or LangChain's, holds the text, or fits a pattern such as `langchain:type*`."""

        def fits(name: str) -> bool:
            return pattern.lower() in name.lower() or fnmatch.fnmatchcase(name.lower(), pattern.lower())

        return Tasks([task for task in self._tasks if fits(task.name) or fits(task.title)])

    def __repr__(self) -> str:
        return "\n".join(f"{task.name:<24} {len(task):>3} cases {len(task.tools):>3} tools  {task.title}" for task in self._tasks)

    def _repr_html_(self) -> str:
        from html import escape

        rows = ((task.name, len(task), len(task.tools), task.title) for task in self._tasks)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
        head = "".join(f"<th>{name}</th>" for name in ("task", "cases", "tools", "LangChain's name"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


tasks = Tasks([Task(record) for record in json.loads(_native.tasks())])


def names(suite: Any) -> Any:
    """Tasks among suites by their names."""
    if isinstance(suite, Task):
        return suite.name
    if isinstance(suite, (Tasks, list, tuple)):
        return [one.name if isinstance(one, Task) else one for one in suite]
    return suite
