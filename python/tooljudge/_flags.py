"""The options of the jobs, out of the flags' own declaration: `TOOLJUDGE_DOCS=write cargo test options` writes this file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias, TypedDict

    from ._functions import Function as OwnFunction
    from ._judge import Function, Judge

    One: TypeAlias = str | Judge | Function
    Judges: TypeAlias = One | Sequence[One]
    Agent: TypeAlias = str | Judge | Callable[..., Any]
    Agents: TypeAlias = Agent | Sequence[Agent]
    Check: TypeAlias = Callable[..., Any] | OwnFunction
else:
    from ._typed import TypedDict

Path = str | os.PathLike[str]
Price = tuple[float, float] | Sequence[float] | Mapping[str, float]
Some = str | Sequence[str]


class JudgeOptions(TypedDict, total=False):
    """The settings of `Judge`, which are those of an entry of `[judges]`."""

    api_key: str | None
    price: Price | None
    headers: Mapping[str, str] | None
    query: Mapping[str, str] | None
    body: Mapping[str, Any] | None
    num_ctx: int | None
    proxy: str | None
    ca_cert: Path | None
    base_url: str | None
    allow_http: bool | None
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


class LabelRest(TypedDict, total=False):
    """The flags of `tooljudge label` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    to: str | None
    shard: str | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    purse: str | None
    force: bool | None
    prefix: str | None
    overwrite: bool | None
    keep: Some | None
    drop: Some | None
    by: Some | None
    partial: bool | None
    calibration: Path | None
    errata: Path | None
    id: str | None
    allow_unjudged: float | None
    allow_empty: bool | None
    max_abstained: float | None
    min_pass_rate: float | None
    gate_on: Literal["value", "low"] | None
    max_fail: Mapping[str, int] | None
    report: Path | None
    junit: Path | None
    fold: Some | None
    fold_output: Path | None
    escape_formulas: bool | None


class LabelOptions(LabelRest, total=False):
    """The flags of `tooljudge label`."""

    return_summary: bool | None
    output: Path | None
    dry_run: bool | int | None


class BatchRest(TypedDict, total=False):
    """The flags of `tooljudge label` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    shard: str | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    purse: str | None
    prefix: str | None
    overwrite: bool | None
    keep: Some | None
    drop: Some | None
    by: Some | None
    calibration: Path | None
    errata: Path | None
    id: str | None
    allow_unjudged: float | None
    allow_empty: bool | None
    max_abstained: float | None
    min_pass_rate: float | None
    gate_on: Literal["value", "low"] | None
    max_fail: Mapping[str, int] | None


class BatchOptions(BatchRest, total=False):
    """The flags of `tooljudge label`."""

    return_summary: bool | None


class ClusterOptions(TypedDict, total=False):
    """The flags of `tooljudge label`."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    keep_prompts: bool | None
    prefix: str | None
    overwrite: bool | None
    keep: Some | None
    drop: Some | None
    by: Some | None
    calibration: Path | None


class ResnapRest(TypedDict, total=False):
    """The flags of `tooljudge resnap` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    to: str | None
    shard: str | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    purse: str | None
    force: bool | None
    prefix: str | None
    overwrite: bool | None
    keep: Some | None
    drop: Some | None
    by: Some | None
    partial: bool | None
    calibration: Path | None
    errata: Path | None
    id: str | None
    allow_unjudged: float | None
    allow_empty: bool | None
    max_abstained: float | None
    min_pass_rate: float | None
    gate_on: Literal["value", "low"] | None
    max_fail: Mapping[str, int] | None
    report: Path | None
    junit: Path | None
    fold: Some | None
    fold_output: Path | None
    escape_formulas: bool | None
    read_rails: Some | None


class ResnapOptions(ResnapRest, total=False):
    """The flags of `tooljudge resnap`."""

    return_summary: bool | None
    output: Path | None
    dry_run: bool | int | None


class ScoreRest(TypedDict, total=False):
    """The flags of `tooljudge score` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    functions: Mapping[str, Check] | None
    scorer: Literal["tool_correctness", "tool_call", "trajectory", "tool_evaluator", "bfcl_ast", "tool_permission", "loop_detection", "judged_metric"] | None
    compat: str | None
    to: str | None
    config: Path | None
    from_: str | None
    column: Mapping[str, Any] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    threshold: float | None
    strict: bool | None
    evaluate: Some | None
    consider_ordering: bool | None
    exact_match: bool | None
    ordered: bool | None
    require_all: bool | None
    allow_extras: bool | None
    params: Literal["strict", "fuzzy"] | Check | None
    tolerance: float | None
    order_matters: bool | None
    match: str | None
    args: str | None
    metric: str | None
    allowed_tools: Some | None
    denied_tools: Some | None
    set: Mapping[str, Any] | None
    judge: Judges | None
    template: Path | Sequence[Path] | None
    explain: bool | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    questions: Path | None
    answers: Path | None
    results: Path | None
    underscore_to_dot: bool | None
    min_pass_rate: float | None
    allow_failures: bool | None
    allow_empty: bool | None
    junit: Path | None
    report: Path | None
    force: bool | None
    prefix: str | None
    overwrite: bool | None
    escape_formulas: bool | None


class ScoreOptions(ScoreRest, total=False):
    """The flags of `tooljudge score`."""

    return_summary: bool | None
    output: Path | None


class ConvertRest(TypedDict, total=False):
    """The flags of `tooljudge convert` that leave the kind of its result as it is."""

    to: str | None
    all: bool | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    escape_formulas: bool | None
    force: bool | None
    allow_empty: bool | None


class ConvertOptions(ConvertRest, total=False):
    """The flags of `tooljudge convert`."""

    return_summary: bool | None
    output: Path | None


class GoldRest(TypedDict, total=False):
    """The flags of `tooljudge gold` that leave the kind of its result as it is."""

    bfcl: Path | None
    to: str | None
    category: Some | None
    seed: int | None
    per_question: int | None
    negatives_per_question: int | None
    per_type: int | None
    negatives_only: bool | None
    results: Path | None
    scores: Path | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    escape_formulas: bool | None
    force: bool | None


class GoldOptions(GoldRest, total=False):
    """The flags of `tooljudge gold`."""

    return_summary: bool | None
    output: Path | None


class BenchRest(TypedDict, total=False):
    """The flags of `tooljudge bench` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    return_rows: bool | None
    judges: Judges
    bfcl: Path | None
    output: Path | None
    to: str | None
    repeat: int | None
    results: Path | None
    scores: Path | None
    gold: str | None
    cluster: str | None
    by: Some | None
    id: str | None
    dedup: bool | str | None
    errata: Path | None
    no_baselines: bool | None
    report: Path | Sequence[Path] | None
    cases: int | None
    audit: Path | None
    suspects: int | None
    force: bool | None
    prefix: str | None
    overwrite: bool | None
    min_accuracy: float | None
    min_balanced_accuracy: float | None
    min_f1: float | None
    min_kappa: float | None
    min_mcc: float | None
    min_auc: float | None
    gate_on: Literal["value", "low"] | None
    allow_unjudged: float | None
    max_abstained: float | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    escape_formulas: bool | None


class BenchOptions(BenchRest, total=False):
    """The flags of `tooljudge bench`."""

    dry_run: bool | int | None


class CompareOptions(TypedDict, total=False):
    """The flags of `tooljudge compare`."""

    by: str | None
    all_pairs: bool | None
    gold: str | None
    id: str | None
    cluster: str | None
    positive: str | None
    measure: str | None
    margin: float | None
    gate: bool | None
    report: Path | Sequence[Path] | None
    force: bool | None


class AuditRest(TypedDict, total=False):
    """The flags of `tooljudge audit` that leave the kind of its result as it is."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    return_rows: bool | None
    again: int | None
    gold: str | None
    cluster: str | None
    id: str | None
    output: Path | None
    to: str | None
    report: Path | Sequence[Path] | None
    force: bool | None
    max_flip_rate: float | None
    max_unlabeled: float | None
    allow_unanswered: float | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    judge: Judges | None
    first: Path | None
    task: Some | None
    per: Literal["turn", "call"] | None
    findings: bool | None
    config: Path | None
    decide: Literal["evidence", "always"] | None
    base_rate: float | None
    template: Path | Sequence[Path] | None
    rails: Some | None
    scale: Literal["five"] | None
    explain: bool | None
    votes: int | None
    snap: Literal["careful", "legacy"] | None
    base_url: str | None
    allow_http: bool | None
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
    store: Path | Literal[False] | None
    fresh: bool | None
    retry: Some | None
    keep_prompts: bool | None
    escape_formulas: bool | None


class AuditOptions(AuditRest, total=False):
    """The flags of `tooljudge audit`."""

    dry_run: bool | int | None


class TrainOptions(TypedDict, total=False):
    """The flags of `tooljudge train`."""

    output: Path | None
    task: str | None
    dry_run: bool | None
    add: bool | None
    gold: str | None
    cluster: str | None
    id: str | None
    weight: str | None
    kind: Some | None
    errata: Path | None
    reviewed: str | None
    review_weight: float | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    force: bool | None
    config: Path | None
    seed: int | None


class DriveOptions(TypedDict, total=False):
    """The flags of `tooljudge drive`."""

    api_key: str | None
    prices: Mapping[str, Price] | None
    progress: bool | None
    functions: Mapping[str, Check] | None
    agents: Mapping[str, Agent] | None
    agent: Agents | None
    agent_version: str | None
    agent_files: Some | None
    agent_timeout: float | None
    agent_keep: bool | None
    output: Path | None
    turns: Path | None
    to: str | None
    dry_run: bool | int | None
    config: Path | None
    repeats: int | None
    case: Some | None
    category: Some | None
    limit: int | str | None
    system: Path | None
    max_steps: int | None
    examples: Path | None
    compat: str | None
    scorer: Literal["tool_correctness", "tool_call", "trajectory", "tool_evaluator", "bfcl_ast", "tool_permission", "loop_detection", "judged_metric"] | None
    set: Mapping[str, Any] | None
    grade: One | None
    template: Path | Sequence[Path] | None
    gold: bool | None
    allow_http: bool | None
    api_key_env: str | None
    timeout: float | None
    max_wait: float | None
    concurrency: int | Literal["auto"] | None
    rpm: int | None
    tpm: int | None
    itpm: int | None
    otpm: int | None
    ignore_rate_headers: bool | None
    max_cost: float | None
    store: Path | Literal[False] | None
    fresh: bool | None
    keep_prompts: bool | None
    min_pass_rate: float | None
    allow_failures: bool | None
    min_pass_hat: str | None
    allow_unscored: float | None
    baseline: Path | None
    history: Path | None
    experiment: str | None
    tag: Mapping[str, Any] | None
    junit: Path | None
    each: bool | None
    force: bool | None
    escape_formulas: bool | None
    temperature: float | None
    max_tokens: int | None
    base_url: str | None
    max_attempts: int | None
    retry: Some | None


class SuiteOptions(TypedDict, total=False):
    """The flags of `tooljudge suite from-log`."""

    output: Path | None
    mode: Literal["turn", "episode"] | None
    expect: Literal["names", "arguments", "none"] | None
    label: str | None
    ignore: Some | None
    redact: Some | None
    from_: str | None
    column: Mapping[str, Any] | None
    tools: Path | Sequence[Mapping[str, Any]] | None
    where: Mapping[str, Any] | None
    limit: int | str | None
    sample: int | str | None
    seed: int | None
    null_call: Literal["nothing", "invalid"] | None
    require_definitions: bool | None
    include_server_tools: bool | None
    agents: bool | None
    turns: Literal["calls", "all", "last"] | None
    force: bool | None


class NextRest(TypedDict, total=False):
    """The flags of `tooljudge next` that leave the kind of its result as it is."""

    rows: int | None
    queue: str | None
    gold: Some | None
    id: str | None
    seed: int | None
    force: bool | None


class NextOptions(NextRest, total=False):
    """The flags of `tooljudge next`."""

    return_summary: bool | None
    output: Path | None


class MergeOptions(TypedDict, total=False):
    """The flags of `tooljudge merge`."""

    output: Path | None
    allow_empty: bool | None
    force: bool | None


class PruneOptions(TypedDict, total=False):
    """The flags of `tooljudge store prune`."""

    store: Path | None
    older_than: str | None
    model: str | None
    run: str | None
    kind: Literal["verdict", "turn"] | None
    prompts: bool | None
    adaptations: bool | None
    dry_run: bool | None
