"""`llm_classify` of Phoenix 2, on `tooljudge.label`."""

from __future__ import annotations

import difflib
import warnings

from .._errors import InputError, SettingsError, ToolJudgeWarning
from . import _asking, _models
from ._templates import PhoenixTemplateMappingError, Wording
from ._wordings import NOT_PARSABLE

# What the status of a row without a reply is called in Phoenix.
_UNANSWERED = {"errored": "FAILED", "invalid_row": "FAILED", "skipped_budget": "DID NOT RUN", "not_asked": "DID NOT RUN"}
_BAR = "llm_classify"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    import pandas

    from ._templates import Parts, PromptTemplate

    Table: TypeAlias = pandas.DataFrame | Sequence[Any]


def llm_classify(
    data: Table | None = None,
    model: Any = None,
    template: str | Parts | PromptTemplate | None = None,
    rails: Iterable[str] | None = None,
    data_processor: Callable[[Any], Any] | None = None,
    system_instruction: str | None = None,
    verbose: bool = False,
    use_function_calling_if_available: bool = True,
    provide_explanation: bool = False,
    include_prompt: bool = False,
    include_response: bool = False,
    include_exceptions: bool = False,
    max_retries: int = 10,
    exit_on_error: bool = True,
    run_sync: bool = False,
    concurrency: int | None = None,
    progress_bar_format: str | None = _BAR,
    *,
    dataframe: pandas.DataFrame | None = None,
    **options: Any,
) -> pandas.DataFrame:
    """Asks a model for one of the labels `rails` for each row, as `phoenix.evals.llm_classify` of Phoenix 2 does.

    Args:
        data: A pandas frame, or a list whose elements are the template's values in order.
        model: An `OpenAIModel` or other model of this module or of Phoenix; or a judge, such as `openai:gpt-5-mini`.
        template: A text with `{column}` for a row's values, a `ClassificationTemplate` or a `PromptTemplate`.
        rails: The labels.
        options: Of `tooljudge.label`: `store`, `fresh`, `max_cost`, `rpm`, `snap` and more. `store=False` keeps no replies.

    The other arguments are Phoenix's.

    Returns:
        A pandas frame with the index of `data` and Phoenix's columns: `label`, `explanation`, `prompt`, `response`, `exceptions`,
        `execution_status`, `execution_seconds`, `prompt_tokens`, `completion_tokens`, `total_tokens`. A reply without a
        verdict has the label `NOT_PARSABLE`; a row without a reply has none.

    Raises:
        SettingsError: An argument cannot be honoured. InputError: No row has a value that the template shows. JudgeError: The
        model cannot be asked, and no reply came.
    """
    import pandas

    if dataframe is not None:
        warnings.warn("`dataframe` is deprecated; use `data`", DeprecationWarning, stacklevel=2)
        data = dataframe
    for name, value in (("data", data), ("model", model), ("template", template), ("rails", rails)):
        if value is None:
            raise TypeError(f"llm_classify() is missing the argument {name!r}")
    options = {name: value for name, value in options.items() if value is not None}
    unknown = sorted(set(options) - set(_asking.OPTIONS))
    if unknown:
        raise TypeError(f"llm_classify() has no argument {unknown[0]!r}; beside Phoenix's it takes {', '.join(_asking.OPTIONS)}")
    rails, judge = _labels(rails), _models.judge_of(model)
    if progress_bar_format not in (_BAR, None):
        raise SettingsError("progress_bar_format: the bar has one form; leave it out, or give None for no bar")
    if judge.forced and not use_function_calling_if_available:
        raise SettingsError(
            "use_function_calling_if_available=False: labels are forced where the endpoint can do it; leave the argument out"
        )
    if provide_explanation and not judge.forced and getattr(template, "explanation_label_parser", None) is not None:
        raise SettingsError(
            "explanation_label_parser: labels are read by the rules of tooljudge; make the template without a parser"
        )
    if isinstance(data, pandas.DataFrame):
        rows, index = [row for _, row in data.iterrows()], data.index
    elif isinstance(data, (list, tuple)):
        rows, index = list(data), pandas.Index(range(len(data)))
    else:
        raise InputError(f"data: {type(data).__name__} is neither a pandas frame nor a list; with polars: data.to_pandas()")

    prompts = _prompts(rows, template, provide_explanation, data_processor, exit_on_error)
    if system_instruction:
        prompts = [f"{system_instruction}\n\n{prompt}" if isinstance(prompt, str) else prompt for prompt in prompts]
    asked = [prompt for prompt in prompts if isinstance(prompt, str)]
    if verbose:
        print(f"judge: {judge.name} {judge.options}\nfirst prompt:\n{asked[0] if asked else None}")
    settings = {
        **judge.options,
        "rails": rails,
        "explain": provide_explanation,
        "max_attempts": max_retries + 1,
        "concurrency": 1 if run_sync else concurrency or judge.concurrency,
        "progress": progress_bar_format is not None,
        "allow_unjudged": 1,
        **options,
    }
    labelled = iter(_asking.ask(asked, judge, settings) if asked else ())
    cells = [_answered(next(labelled), prompt) if isinstance(prompt, str) else _unasked(prompt) for prompt in prompts]
    _tell(cells, verbose)
    wanted = {"explanation": provide_explanation, "prompt": include_prompt, "response": include_response}
    columns = [
        name for name in _unasked(None) if name not in ("why", *(name for name, is_wanted in wanted.items() if not is_wanted))
    ]
    return pandas.DataFrame({name: [cell[name] for cell in cells] for name in columns}, index=index)


def _labels(rails):
    if isinstance(rails, (str, dict)):
        raise SettingsError("rails: give a list of texts; of a map, list(MAP.values())")
    rails = list(rails)
    for rail in rails:
        if not isinstance(rail, str) or "," in rail:
            raise SettingsError(f"rails: {rail!r} cannot be a label; labels are texts without commas")
    return rails


def _prompts(rows, template, explained, processor, stops):
    """The prompt of each row, or the exception that says why it has none; None for the rows after it, if an exception `stops`."""
    failed = {}
    if processor is not None:
        rows, failed = _processed(rows, processor, stops)
    named = [row for row in rows if hasattr(row, "keys")]
    columns = {name for row in named for name in _keys(row)} if named else None
    wording = Wording(template, explained, columns)
    prompts = []
    for at, row in enumerate(rows):
        prompt = failed.get(at)
        if prompt is None:
            try:
                prompt = wording.fill(wording.named(row))
            except Exception as error:
                # Of whatever kind: a cell or a processor must not end the run.
                prompt = error
        prompts.append(prompt)
        if stops and not isinstance(prompt, str):
            break
    absent = [name for name in wording.variables if columns is not None and name not in columns]
    if absent:
        raise InputError(_no_column(absent[0], sorted(columns)))
    return prompts + [None] * (len(rows) - len(prompts))


def _no_column(name, columns):
    """What to do about a value that no row has."""
    near = [column for column in columns if name in column.split(".")] or difflib.get_close_matches(name, columns, 1)
    hint = (
        f"`{near[0]}` may be meant: write {{{near[0]}}}"
        if near
        else 'if it is plain text, make a ClassificationTemplate with delimiters=("<<", ">>"), and write columns as <<question>>'
    )
    return f"no row has `{name}`, which the template shows; the columns are {', '.join(columns)}. {hint[0].upper()}{hint[1:]}"


def _keys(row):
    return [name for name in row.keys() if isinstance(name, str)]  # noqa: SIM118, a series iterates over its values


def _processed(rows, processor, stops):
    """The rows as `processor` gives them, which may be asynchronous, and what it raised by the row's number."""
    import asyncio
    import inspect
    import threading

    made, failed = [], {}

    async def process():
        for at, row in enumerate(rows):
            try:
                row = processor(row)
                made.append(await row if inspect.isawaitable(row) else row)
            except Exception as error:
                made.append(None)
                failed[at] = error
                if stops:
                    break

    # The thread of a notebook has a loop that runs.
    thread = threading.Thread(target=lambda: asyncio.run(process()))
    thread.start()
    thread.join()
    return made + [None] * (len(rows) - len(made)), failed


def _answered(row, prompt):
    """The cells of a row that was given to the judge."""
    status, failed = row["status"], max(0, (row["attempts"] or 1) - 1)
    # A filter that lets nothing through has answered with an error, as a rule.
    replied = status not in _UNANSWERED and row["raw_reply"] is not None and (row["raw_reply"] or status != "filtered")
    cell = _unasked(None)
    cell["execution_status"] = "COMPLETED" if replied else _UNANSWERED.get(status, "FAILED")
    if replied:
        tokens = [row["prompt_tokens"], row["completion_tokens"]]
        cell["label"] = NOT_PARSABLE if row["label"] is None else row["label"].lower()
        cell.update(explanation=row["explanation"], prompt=prompt, response=row["raw_reply"])
        cell.update(prompt_tokens=tokens[0], completion_tokens=tokens[1], total_tokens=None if None in tokens else sum(tokens))
        if failed:
            cell["execution_status"] = "COMPLETED WITH RETRIES"
            cell["exceptions"] = [f"attempt {number} failed" for number in range(1, failed + 1)]
    elif row["error"] is not None:
        cell["exceptions"] = [row["error"]]
    if row["latency_ms"] is not None:
        cell["execution_seconds"] = row["latency_ms"] / 1000
    elif cell["execution_status"] == "FAILED":
        cell["execution_seconds"] = float("nan")
    cell["why"] = status if row["label"] is None else None
    return cell


def _unasked(error):
    """The cells of a row without a prompt: `error` is why, or None where nothing was done for it."""
    cell = {"label": None, "explanation": None, "prompt": "", "response": "", "exceptions": [], "execution_status": "DID NOT RUN"}
    cell |= {"execution_seconds": 0.0, "prompt_tokens": None, "completion_tokens": None, "total_tokens": None, "why": None}
    if error is not None:
        missing = isinstance(error, PhoenixTemplateMappingError)
        cell.update(exceptions=[repr(error)], execution_status="MISSING INPUT" if missing else "FAILED")
    return cell


def _tell(cells, verbose):
    """Says which rows have no label, and why."""
    counts = {}
    for cell in cells:
        if cell["why"] is not None or cell["execution_status"] not in ("COMPLETED", "COMPLETED WITH RETRIES"):
            why = cell["why"] or cell["execution_status"]
            counts[why] = counts.get(why, 0) + 1
            if verbose:
                print(f"no label: {why} {cell['exceptions']} {cell['response']!r}")
    if counts:
        listed = ", ".join(f"{count} {why}" for why, count in counts.items())
        stopped = "DID NOT RUN" in counts
        more = "; exit_on_error=False also judges the rows after the first one that has no prompt" * stopped
        warnings.warn(
            f"{sum(counts.values())} of {len(cells)} rows have no label ({listed}){more}", ToolJudgeWarning, stacklevel=3
        )
