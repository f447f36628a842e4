"""Phoenix's templates for tool calls, by their names there, with our texts: those of `tooljudge templates show`."""

import functools
import re

from ..templates import show
from ._templates import ClassificationTemplate

# What Phoenix calls the label of a reply that names none.
NOT_PARSABLE = "NOT_PARSABLE"

_RAILS = {True: "correct", False: "incorrect"}
TOOL_CALLING_PROMPT_RAILS_MAP = dict(_RAILS)
TOOL_SELECTION_PROMPT_RAILS_MAP = dict(_RAILS)
TOOL_PARAMETER_EXTRACTION_PROMPT_RAILS_MAP = dict(_RAILS)


TASKS = {
    "TOOL_CALLING_PROMPT_TEMPLATE": "tool_calling",
    "TOOL_SELECTION_PROMPT_TEMPLATE": "tool_selection",
    "TOOL_PARAMETER_EXTRACTION_PROMPT_TEMPLATE": "parameter_extraction",
}


@functools.cache
def template(task: str) -> ClassificationTemplate:
    """The built-in template of a task with `{names}` for the values, once for a label alone and once with an explanation."""
    body = show(task).split("+++\n", 2)[2].strip()
    # Values come without marks around them, so there is nothing to say of marks.
    body = "\n\n".join(part for part in body.split("\n\n") if not part.startswith('Everything between a "begin" line'))
    body = re.sub(r"\{\{ (\w+) \}\}", r"{\1}", body)
    head, explained, alone, tail = re.split(r"\{% if explain -%\}\s*|\s*\{%- else -%\}\s*|\s*\{%- endif %\}", body)
    return ClassificationTemplate(
        rails=list(_RAILS.values()), template=head + alone + tail, explanation_template=head + explained + tail, scores=[1, 0]
    )
