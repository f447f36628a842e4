"""What a run did and what it cost, in a line for each judge or agent: for the log, at the level INFO."""


def lines(command, record):
    """The lines of a command's record."""
    kind = command.split()[0]
    said = _KINDS.get(kind)
    try:
        return list(said(kind, record)) if said else []
    except (KeyError, TypeError, AttributeError):
        # A record of another form, such as that of a dry run.
        return []


def _labelled(command, record):
    for member in record["panel"]:
        counts, judge = member["summary"], member["judge"]
        parts = [_rows(counts["rows"]), _counts(counts["labels"]) or "no label", *_not_judged(counts["statuses"])]
        if judge["model"] is not None:
            parts += [f"{counts['cached']} from the store", _cost(counts["cost_usd"])]
        yield _line(command, judge["name"], member["task"], parts)


def _benched(command, record):
    for judge in record["entrants"]:
        if judge["baseline"]:
            continue
        overall, usage = judge["overall"], judge["usage"]
        parts = [_rows(overall["rows"]), f"{_share(overall['coverage'])} labeled", *_not_judged(judge["statuses"])]
        if "accuracy" in overall["figures"]:
            parts.append(f"accuracy {_share(overall['figures']['accuracy'])}")
        if usage is not None:
            parts += [f"{usage['cached']} from the store", f"{_cost(usage['cost_usd'])} with these"]
        yield _line(command, judge["judge"], judge["template"], parts)


def _audited(command, record):
    for judge in record["judges"]:
        rows = judge["rows"] + judge["rows_without_label"]
        parts = [_rows(rows), f"{judge['asked']} questions", f"{judge['unanswered']} unanswered"]
        parts.append(f"{judge['attacks']['flips']} flips by attacks, {judge['changes']['flips']} by changes")
        if judge["record"]["judge"]["model"] is not None and "cost_usd" in judge:
            parts.append(f"{_cost(judge['cost_usd'])} with answers from the store")
        yield _line(command, judge["judge"], judge["template"], parts)


def _scored(command, record):
    parts = [_of(record["cases"], "case"), f"{record['passed']} passed", f"{record['failed']} failed"]
    if record["undecided"]:
        parts.append(f"{record['undecided']} without a threshold")
    if record["errors"]:
        parts.append(f"{sum(record['errors'].values())} errors")
    yield f"{command}: {', '.join([*parts, *_asked(record.get('judge'))])}"


def _driven(command, record):
    for agent in record["agents"]:
        scores = agent["scores"]
        parts = [_of(agent["episodes"], "episode"), f"{scores['passed']} passed", f"{scores['failed']} failed"]
        if agent["unscored"]:
            parts.append(f"{agent['unscored']} without a score")
        if agent["usage"] is not None:
            parts += [f"{agent['cached']} from the store", _cost(agent["cost_usd"])]
        yield f"{command} {agent['agent']}: {', '.join([*parts, *_asked(record.get('grade'))])}"


def _converted(command, record):
    items, calls = (sum(file[name] for file in record) for name in ("items", "calls"))
    skipped, errors = (sum(sum(file[name].values()) for file in record) for name in ("skipped", "errors"))
    yield f"{command}: {_of(items, 'row')}, {_of(calls, 'call')}, {skipped} skipped, {errors} unreadable"


def _made(command, record):
    yield f"{command}: {_rows(sum(kind['written'] for kind in record['kinds']))}, {_of(record['questions'], 'question')}"


def _trained(command, record):
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in record["rows"].items() if count)
    yield f"{command}: {counts}, kept: {record['kept'] or 'nothing'}"


_KINDS = {
    "audit": _audited,
    "bench": _benched,
    "convert": _converted,
    "drive": _driven,
    "gold": _made,
    "label": _labelled,
    "resnap": _labelled,
    "score": _scored,
    "train": _trained,
}


def _asked(judge):
    """What a judge beside the job cost, if there was one."""
    if judge is None:
        return []
    counts = judge["summary"]
    return [f"{judge['name']} asked, {counts['cached']} from the store, {_cost(counts['cost_usd'])}"]


def _line(command, name, task, parts):
    return f"{command} {name} ({task}): {', '.join(parts)}"


def _not_judged(statuses):
    return [f"{count} {status}" for status, count in statuses.items() if status != "judged"]


def _counts(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _rows(count):
    return _of(count, "row")


def _of(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _share(figure):
    return "unknown" if figure["value"] is None else f"{figure['value']:.3f}"


def _cost(cost):
    return "cost unknown" if cost is None else f"${cost:.4f}"
