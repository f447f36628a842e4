"""The options of the jobs, which are the flags of the command line, and the words that they become: `max_cost=5` is `--max-cost=5`."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Iterable, Mapping, Sequence

from ._errors import SettingsError, ToolJudgeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypedDict

    from ._judge import Judge
else:

    class TypedDict:
        """Stands in for the one of `typing`, whose import takes longer than all the rest."""

        def __init_subclass__(cls, total):
            parents = [getattr(base, "names", {}) for base in reversed(cls.__bases__)]
            cls.names = {name: kind for names in (*parents, cls.__annotations__) for name, kind in names.items()}


Path = str | os.PathLike[str]
Some = str | Sequence[str]


class Rows(TypedDict, total=False):
    """Which rows are read, and how they are understood."""

    from_: str | None
    column: Mapping[str, str] | None
    where: Mapping[str, Any] | None


class Selected(Rows, total=False):
    """Which rows and turns of what was read."""

    tools: Path | Sequence[Mapping[str, Any]] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None


class Written(TypedDict, total=False):
    """A file for the table."""

    output: Path | None
    to: str | None
    escape_formulas: bool | None
    force: bool | None


class Asked(TypedDict, total=False):
    """Who is asked, how fast, and what it may cost."""

    judge: str | Judge | Any | None
    config: Path | None
    explain: bool | None
    base_url: str | None
    allow_http: bool | None
    api_key: str | None
    api_key_env: str | None
    temperature: float | None
    max_tokens: int | None
    timeout: float | None
    max_attempts: int | None
    max_wait: float | None
    concurrency: int | Literal["auto"] | None
    rpm: int | None
    tpm: int | None
    itpm: int | None
    otpm: int | None
    ignore_rate_headers: bool | None
    max_cost: float | None
    store: Path | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    progress: bool | None


class Judging(Asked, total=False):
    """What is asked."""

    task: Some | None
    template: Path | Sequence[Path] | None
    rails: Sequence[str] | None
    scale: Literal["five"] | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    decide: Literal["evidence", "always"] | None
    first: Path | None
    base_rate: float | None


class BatchOptions(Judging, Selected, total=False):
    """Options of `label_batches`."""

    prefix: str | None
    overwrite: bool | None
    drop: Some | None
    calibration: Path | None
    allow_unjudged: float | None
    max_abstained: float | None
    min_pass_rate: float | None
    gate_on: Literal["value", "low"] | None
    max_fail: Mapping[str, int] | None
    return_summary: bool | None


class LabelOptions(BatchOptions, Written, total=False):
    """Options of `label`."""

    partial: bool | None
    dry_run: bool | int | None
    junit: Path | None
    fold: Some | None
    fold_output: Path | None


class ResnapOptions(LabelOptions, total=False):
    """Options of `resnap`."""

    read_rails: Sequence[str] | None


class ScoreOptions(Asked, Rows, Written, total=False):
    """Options of `score`."""

    scorer: str | None
    compat: str | None
    limit: int | str | None
    threshold: float | None
    strict: bool | None
    evaluate: Some | None
    consider_ordering: bool | None
    exact_match: bool | None
    ordered: bool | None
    require_all: bool | None
    allow_extras: bool | None
    params: str | None
    tolerance: float | None
    order_matters: bool | None
    match: str | None
    args: str | None
    allowed_tools: Some | None
    denied_tools: Some | None
    metric: str | None
    set: Mapping[str, Any] | None
    template: Path | None
    questions: Path | None
    answers: Path | None
    results: Path | None
    underscore_to_dot: bool | None
    min_pass_rate: float | None
    junit: Path | None
    prefix: str | None
    overwrite: bool | None
    return_summary: bool | None


class ConvertOptions(Selected, Written, total=False):
    """Options of `convert`."""

    all: bool | None
    return_summary: bool | None


class GoldOptions(Rows, Written, total=False):
    """Options of `gold`."""

    tools: Path | Sequence[Mapping[str, Any]] | None
    bfcl: Path | None
    category: Some | None
    results: Path | None
    scores: Path | None
    seed: int | None
    per_question: int | None
    negatives_per_question: int | None
    per_type: int | None
    negatives_only: bool | None
    return_summary: bool | None


class BenchOptions(Judging, Selected, Written, total=False):
    """Options of `bench`."""

    judges: Any
    gold: Some | None
    cluster: str | None
    by: Some | None
    id: str | None
    bfcl: Path | None
    results: Path | None
    scores: Path | None
    errata: Path | None
    dedup: bool | None
    no_baselines: bool | None
    repeat: int | None
    report: Path | Sequence[Path] | None
    cases: int | None
    audit: Path | None
    suspects: int | None
    prefix: str | None
    overwrite: bool | None
    allow_unjudged: float | None
    max_abstained: float | None
    gate_on: Literal["value", "low"] | None
    min_accuracy: float | None
    min_balanced_accuracy: float | None
    min_f1: float | None
    min_kappa: float | None
    min_mcc: float | None
    min_auc: float | None
    return_rows: bool | None


class CompareOptions(TypedDict, total=False):
    """Options of `compare`."""

    gold: str | None
    id: str | None
    cluster: str | None
    positive: str | None
    measure: str | None
    margin: float | None
    gate: bool | None
    report: Path | Sequence[Path] | None
    force: bool | None


class AuditOptions(Judging, Selected, Written, total=False):
    """Options of `audit`."""

    again: int | None
    gold: str | None
    cluster: str | None
    id: str | None
    report: Path | Sequence[Path] | None
    max_flip_rate: float | None
    max_unlabelled: float | None
    allow_unanswered: float | None
    return_rows: bool | None


def takes(options, forks=True):
    """Makes a job of a function whose last parameter is `**options`: with the signature that `options` spells out, which refuses any
    other; and, unless it `forks` by itself, with a way to work in a process that was forked from one that had worked."""
    names = options.names

    def decorate(work):
        @functools.wraps(work)
        def job(*data, **given):
            from . import _run, _slips

            _check(job, given)
            try:
                _slips.refuse(job, given)
                if forks and _run.is_orphaned():
                    from . import _spawned

                    return _spawned.call(job.__name__, data, given)
                return work(*data, **given)
            except ToolJudgeError as error:
                # The message says what is wrong; where in here it was found is of no use to who made the slip.
                raise error.with_traceback(None)  # noqa: B904

        own = inspect.signature(work)
        kept = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in names.items()
        ]
        job.__signature__ = own.replace(parameters=[*kept, *added])
        job.options = frozenset(names)
        return job

    return decorate


def _check(job, given):
    for name in given:
        if name not in job.__signature__.parameters:
            import difflib

            near = difflib.get_close_matches(name, job.options, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; the options are {', '.join(sorted(job.options))}"
            raise TypeError(f"{job.__name__}() got an unexpected keyword argument {name!r}{hint}")


# Their flag takes a list in one word; other lists repeat the flag.
JOINED = {"rails", "fold", "retry", "read_rails", "evaluate", "allowed_tools", "denied_tools"}
# A list of none of these is a slip, and not a wish for the default.
CHOICES = {"judge", "task", "template", "rails"}
# Their flag takes a value that is true or false; other switches are there or not.
SPOKEN = {"require_all", "allow_extras", "order_matters"}


def words(options):
    """The words of all options that are set."""
    found = []
    for name, value in options.items():
        if value is None or (value is False and name not in SPOKEN):
            continue
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True and name not in SPOKEN:
            found.append(flag)
        elif isinstance(value, Mapping):
            found += [f"{flag}={key}={_text(name, one)}" for key, one in value.items()]
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
            texts = [_text(name, one) for one in value]
            if not texts and name in CHOICES:
                raise SettingsError(f"{name}: the list is empty; leave {name} out for the default")
            found += [f"{flag}={','.join(texts)}"] * bool(texts) if name in JOINED else [f"{flag}={text}" for text in texts]
        else:
            found.append(f"{flag}={_text(name, value)}")
    return found


def _text(name, value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, tuple) and len(value) == 2:
        return f"{value[0]}={value[1]}"
    if isinstance(value, (int, float)) or hasattr(value, "__float__") or hasattr(value, "__index__"):
        return str(value)
    raise SettingsError(f"{name}: {type(value).__name__} is neither a text nor a number")
