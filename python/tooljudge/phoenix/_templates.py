"""Templates in the form of Phoenix 2: texts with `{column}` for a row's values."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from .._errors import InputError, SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

BRACES = ("{", "}")
# What stands between two braces and can be a column's name. A colon or an exclamation mark ends a name, as in str.format.
_NAME = re.compile(r"\{([^{}:!\n]+)\}")
_FORMATTED = re.compile(r"\{([^{}:!\n]+)[:!][^{}]*\}")
_DOUBLED = re.compile(r"\{\{\s*([^{}:!\n\"']+?)\s*\}\}")


class PhoenixTemplateMappingError(Exception):
    """A row without a value that the template shows. Never raised: rows carry it in `exceptions`, as in Phoenix."""


class PromptPartContentType(str, Enum):
    TEXT = "text"
    AUDIO = "audio"
    IMAGE = "image"


@dataclass
class PromptPartTemplate:
    content_type: PromptPartContentType
    template: str


class Parts(list[PromptPartTemplate]):
    """The parts of a template. In older versions of Phoenix it was a text, so `template.template.replace(...)` works too."""

    @classmethod
    def of(cls, template: str | Iterable[PromptPartTemplate]) -> Parts:
        if isinstance(template, str):
            return cls([PromptPartTemplate(PromptPartContentType.TEXT, template)])
        return cls(template)

    def __str__(self) -> str:
        return "\n\n".join(part.template for part in self)

    def __add__(self, other: Any) -> Any:
        return str(self) + other if isinstance(other, str) else Parts([*self, *other])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(str(self), name)


class PromptTemplate:
    """A text with values between `delimiters`. `variables` are found in the text, as `llm_classify` of Phoenix finds them."""

    template: Parts
    variables: list[str]

    def __init__(
        self,
        template: str | Iterable[PromptPartTemplate],
        delimiters: Sequence[str] = BRACES,
        variables: Iterable[str] | None = None,
    ) -> None:
        self.template = Parts.of(template)
        self._start_delim, self._end_delim = delimiters
        self.variables = list(variables) if variables is not None else names([str(self.template)], delimiters)


class ClassificationTemplate(PromptTemplate):
    """A text for labels alone, and another one for labels with explanations."""

    rails: Sequence[str]
    explanation_template: Parts | None

    def __init__(
        self,
        rails: Sequence[str],
        template: str | Iterable[PromptPartTemplate],
        explanation_template: str | Iterable[PromptPartTemplate] | None = None,
        explanation_label_parser: Callable[[str], str] | None = None,
        delimiters: Sequence[str] = BRACES,
        scores: Sequence[float] | None = None,
    ) -> None:
        if scores is not None and len(rails) != len(scores):
            raise SettingsError(f"scores: {len(scores)} for {len(rails)} rails; give one for each rail")
        super().__init__(template, delimiters)
        self.rails, self._scores, self.explanation_label_parser = rails, scores, explanation_label_parser
        self.explanation_template = Parts.of(explanation_template) if explanation_template else None
        if self.explanation_template:
            self.variables = names([str(self.template), str(self.explanation_template)], delimiters)

    def __repr__(self) -> str:
        return str(self.template)


def names(texts: Iterable[str], delimiters: Sequence[str] = BRACES, columns: Iterable[str] = ()) -> list[str]:
    """The values that texts show, each once."""
    if delimiters == BRACES:
        found = [name for text in texts for name in _NAME.findall(text) if _is_name(name, columns)]
    else:
        start, end = map(re.escape, delimiters)
        found = [name for text in texts for name in re.findall(f"{start}(.*?){end}", text)]
    return list(dict.fromkeys(found))


def _is_name(name, columns):
    # Numbers in braces count in regular expressions, as {4} and {2,4} do.
    return name in columns or re.search(r"[^\W\d]", name) is not None


class Wording:
    """A template that is ready to be filled.

    Where Phoenix can fill it, the prompt is Phoenix's. Braces that Phoenix cannot read, such as those of JSON, are text.
    """

    def __init__(self, template, explained, columns):
        """`columns` are those of the rows, or None where rows are lists without names."""
        shown, self.all, self.delimiters = _texts(template, explained)
        self.text, known = shown, columns or ()
        texts = [shown, *(text for text in self.all if text != shown)]
        literal = [_as_format(text, columns) if self.delimiters == BRACES else None for text in texts]
        if self.delimiters == BRACES and None in literal:
            _refuse_unclear(self.all, columns)
        self.variables = names(self.all, self.delimiters, known)
        self.segments = literal[0] or _split(shown, self.delimiters, known)
        if not self.variables:
            raise InputError(
                "the template shows nothing of a row; name columns in it, as {question}"
                + " between its delimiters" * (self.delimiters != BRACES)
            )

    def fill(self, row):
        """The prompt of a row, which is a mapping or a series of pandas."""
        from pandas import isna
        from pandas.api.types import is_scalar

        try:
            values = {name: row[name] for name in self.variables}
        except KeyError as error:
            raise PhoenixTemplateMappingError(f"Missing template variable: {error}") from error
        empty = [name for name, value in values.items() if is_scalar(value) and isna(value)]
        if empty:
            raise PhoenixTemplateMappingError(f"Missing template variables: {', '.join(empty)}")
        return "".join(text if name is None else text + format(values[name], "") for text, name in self.segments)

    def named(self, row):
        """A row with names for its values: the elements of a list are the variables in order."""
        import pandas

        if isinstance(row, (pandas.Series, Mapping)):
            return row
        if len(self.variables) == 1:
            return {self.variables[0]: row}
        if isinstance(row, str):
            raise ValueError("The data cannot be mapped to the template variables")
        try:
            return dict(zip(self.variables, row, strict=False))
        except TypeError:
            return {}


def _texts(template, explained):
    """The text that is shown, all texts whose values a row must have, and the delimiters."""
    if isinstance(template, (str, Parts)):
        return str(template), [str(template)], BRACES
    parts = [getattr(template, name, None) for name in ("template", "explanation_template")]
    if not isinstance(parts[0], (str, list)):
        raise SettingsError(
            f"template: {type(template).__name__} is neither a text nor a ClassificationTemplate or PromptTemplate"
        )
    for part in (part for held in parts if isinstance(held, list) for part in held):
        if getattr(part.content_type, "value", part.content_type) != "text":
            raise SettingsError(f"template: a part is {part.content_type}; judges are shown texts only, so leave such parts out")
    texts = [str(Parts.of(held)) for held in parts if held]
    delimiters = (getattr(template, "_start_delim", "{"), getattr(template, "_end_delim", "}"))
    return texts[-1] if explained else texts[0], texts, delimiters


def _as_format(text, columns):
    """The text as `str.format` reads it, in pairs of text and name; None where Phoenix finds no values for it."""
    found = re.findall(r"{(.*?)}", text)
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return None
    fields = [name for _, name, *_ in parsed if name is not None]
    if set(found) != set(fields) or any(spec or conversion for *_, spec, conversion in parsed):
        return None
    if any(not _is_name(name, columns or ()) or columns is not None and name not in columns for name in found):
        return None
    return [(text, name) for text, name, *_ in parsed]


def _refuse_unclear(texts, columns):
    """What looks like a value, and is none: the judge would read its name."""
    for text in texts:
        for match in _DOUBLED.finditer(text):
            if columns is None or match[1] in columns:
                raise InputError(f"the template holds `{match[0]}`, which Phoenix 2 does not fill; write {{{match[1]}}}")
        for match in _FORMATTED.finditer(text):
            if match[1] in columns if columns is not None else match[1].isidentifier():
                raise InputError(
                    f"the template holds `{match[0]}`, which is not filled; format the column before, and write {{{match[1]}}}"
                )


def _split(text, delimiters, columns):
    """The text in pairs of text and name. Values are filled in once: a name within a value stays."""
    start, end = map(re.escape, delimiters)
    pattern = _NAME if delimiters == BRACES else re.compile(f"{start}(.*?){end}")
    segments, at = [], 0
    for match in pattern.finditer(text):
        if delimiters == BRACES and not _is_name(match[1], columns):
            continue
        segments.append((text[at : match.start()], match[1]))
        at = match.end()
    return [*segments, (text[at:], None)]
