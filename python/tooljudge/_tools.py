"""The tools of a case as Python functions."""

from __future__ import annotations

import inspect
import json
import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import _json
from ._errors import InputError

# What LangChain's tools take for their own.
_OF_LANGCHAIN = ("config", "run_manager", "self")
# The types of JSON Schema that a signature can show.
_KINDS: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


class CaseOver(BaseException):
    """Raised by the tools of a case that is over: it was answered, took too long, or made as many calls as it may.

    It is no `Exception`, so that an agent's own `except Exception` does not go on for nothing."""


class Result(str):
    """What a tool returned: the text that a model would be shown.

    Attributes:
        is_error: Whether the call failed: an unknown tool, arguments that its schema does not allow, an error that the case foresees.
    """

    is_error: bool

    def __new__(cls, text: str, is_error: bool = False) -> Result:
        made = super().__new__(cls, text)
        made.is_error = is_error
        return made

    @property
    def value(self) -> Any:
        """What the text says in JSON, or the text where it is none."""
        try:
            return json.loads(self)
        except (ValueError, RecursionError):
            return str(self)


class Tools(Mapping[str, Callable[..., Result]]):
    """The tools of a case by their names, as functions: `tools["get_weather"](city="Oslo")`.

    Each has the name, the description and, as far as Python can write it, the signature of its definition. Calls are recorded as they are
    made. Arguments that the schema does not allow are a result with `is_error`, as for a model.

    Attributes:
        definitions: The definitions as dicts with `name`, `description` and `parameters`, a JSON Schema.
    """

    definitions: list[dict[str, Any]]

    def __init__(self, definitions: list[dict[str, Any]], call: Callable[[str, str], Result]) -> None:
        self.definitions = definitions
        self._call = call
        self._functions = {one["name"]: _function(one, self) for one in definitions}

    def __getitem__(self, name: str) -> Callable[..., Result]:
        try:
            return self._functions[name]
        except KeyError:
            raise KeyError(f"there is no tool {name!r}; there are: {', '.join(self._functions)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f"<tools {', '.join(self._functions)}>"

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Result:
        """Calls a tool as a model would: any name, and arguments as a dict or as the text of JSON that a model wrote. What is unknown or
        not allowed is recorded, and is a result with `is_error`."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a tool is a text, not {type(name).__name__}")
        if arguments is not None and not isinstance(arguments, (Mapping, str)):
            raise TypeError(f"arguments are a dict or a text of JSON, not {type(arguments).__name__}")
        return self._call(name, _encoded(arguments))

    def as_openai(self) -> list[dict[str, Any]]:
        """The definitions for `tools=` of OpenAI's chat completions. Answer the model's calls with `call(name, arguments)`."""
        return [{"type": "function", "function": dict(one)} for one in self.definitions]

    def as_langchain(self) -> list[Any]:
        """The tools as `StructuredTool`s of LangChain. Needs `langchain-core`."""
        try:
            from langchain_core.tools import StructuredTool, ToolException
        except ImportError as error:
            raise ImportError("as_langchain needs LangChain: pip install langchain-core") from error

        def tool(definition: dict[str, Any]) -> Any:
            taken = next((name for name in _properties(definition) if name in _OF_LANGCHAIN), None)
            if taken is not None:
                raise ValueError(
                    f"the tool {definition['name']!r} has a parameter `{taken}`, which LangChain keeps for itself and never passes on; call "
                    "it by tools.call"
                )

            def run(**arguments: Any) -> str:
                result = self.call(definition["name"], arguments)
                if result.is_error:
                    # LangChain shows the model its text.
                    raise ToolException(str(result))
                return str(result)

            return StructuredTool(
                name=definition["name"],
                description=definition["description"],
                args_schema=_schema(definition),
                func=run,
                handle_tool_error=True,
            )

        return [tool(one) for one in self.definitions]

    def as_openai_agents(self) -> list[Any]:
        """The tools as `FunctionTool`s of OpenAI's Agents SDK. Needs `openai-agents`."""
        try:
            from agents import FunctionTool
        except ImportError as error:
            raise ImportError("as_openai_agents needs OpenAI's Agents SDK: pip install openai-agents") from error

        def tool(definition: dict[str, Any]) -> Any:
            async def run(context: Any, arguments: str) -> str:
                # At once, and on no thread: the calls of a reply are recorded in its order.
                return str(self.call(definition["name"], arguments))

            return FunctionTool(
                name=definition["name"],
                description=definition["description"],
                params_json_schema=_schema(definition),
                on_invoke_tool=run,
                # The schema stays as it is: a strict one makes every parameter a required one.
                strict_json_schema=False,
            )

        return [tool(one) for one in self.definitions]


class Messages(list[dict[str, Any]]):
    """The messages of a conversation: dicts with `role` and `content`; calls are in `tool_calls` (`name`, `arguments`, `id`), and their
    results have a `tool_call_id`."""

    def as_openai(self) -> list[dict[str, Any]]:
        """The messages as OpenAI's chat completions have them, and LangChain takes them."""
        return [_message(one) for one in self]


def _message(message: dict[str, Any]) -> dict[str, Any]:
    if not message.get("tool_calls"):
        return message
    calls = [
        {"id": call.get("id"), "type": "function", "function": {"name": call["name"], "arguments": _text(call.get("arguments"))}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)


def _function(definition: dict[str, Any], tools: Tools) -> Callable[..., Result]:
    """A function of its own for a tool."""
    name, signature = definition["name"], _signature(definition)
    properties = _properties(definition)
    optional = {key for key, kind in properties.items() if key not in _required(definition) and not _allows_null(kind)}

    def tool(*given: Any, **arguments: Any) -> Result:
        if given:
            positions = list(signature.parameters)
            if len(given) > len(positions):
                raise TypeError(f"{name}() takes {len(positions)} positional arguments, but {len(given)} were given")
            both = next((key for key in positions[: len(given)] if key in arguments), None)
            if both is not None:
                raise TypeError(f"{name}() got multiple values for argument {both!r}")
            arguments = {**dict(zip(positions, given)), **arguments}
        # None is what a signature shows for an argument that is not given.
        return tools.call(name, {key: value for key, value in arguments.items() if value is not None or key not in optional})

    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = definition["description"]
    tool.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()} | {"return": str}
    vars(tool)["__signature__"] = signature
    return tool


def _signature(definition: dict[str, Any]) -> inspect.Signature:
    """What of the schema a signature can show, required parameters first."""
    required = _required(definition)
    found = []
    for name, kind in _properties(definition).items():
        if not name.isidentifier() or keyword.iskeyword(name):
            continue
        kind = kind if isinstance(kind, dict) else {}
        of_json = kind.get("type")
        default = inspect.Parameter.empty if name in required else kind.get("default")
        annotation = _KINDS.get(of_json, Any) if isinstance(of_json, str) else Any
        found.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation))
    found.sort(key=lambda one: one.default is not inspect.Parameter.empty)
    return inspect.Signature(found, return_annotation=str)


def _schema(definition: dict[str, Any]) -> dict[str, Any]:
    """The schema as one of an object, also where the tool takes nothing."""
    schema = definition["parameters"] if isinstance(definition["parameters"], dict) else {}
    # LangChain shows models the schema's own title and description.
    return {"title": definition["name"], "description": definition["description"], "type": "object", "properties": {}, **schema}


def _properties(definition: dict[str, Any]) -> dict[str, Any]:
    schema = definition.get("parameters")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _required(definition: dict[str, Any]) -> set[str]:
    schema = definition.get("parameters")
    required = schema.get("required") if isinstance(schema, dict) else None
    return {one for one in required if isinstance(one, str)} if isinstance(required, list) else set()


def _allows_null(kind: Any) -> bool:
    """Whether null may be meant: the schema says so, or says nothing of types."""
    if not isinstance(kind, dict):
        return True
    types, choices = kind.get("type"), kind.get("anyOf") or kind.get("oneOf")
    if isinstance(choices, list):
        return any(map(_allows_null, choices))
    if kind.get("nullable") is True:
        return True
    if types is None:
        values = [kind["const"]] if "const" in kind else kind.get("enum")
        if isinstance(values, list):
            return None in values
        # What it is made of is told elsewhere.
        return "$ref" not in kind and "allOf" not in kind
    return types == "null" or isinstance(types, list) and "null" in types


def _encoded(arguments: Mapping[str, Any] | str | None) -> str:
    """Arguments as JSON: an object; or a text, which is read as JSON by whoever hears it, and is recorded as it is where it is none."""
    if isinstance(arguments, str):
        return json.dumps(arguments.encode(errors="replace").decode(), ensure_ascii=False)
    try:
        return _json.strict(dict(arguments or {}))
    except (InputError, ValueError, RecursionError) as error:
        return json.dumps(f"no JSON: {error}".encode(errors="replace").decode(), ensure_ascii=False)
