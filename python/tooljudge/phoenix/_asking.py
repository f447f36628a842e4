"""Sends complete prompts to a judge, with `tooljudge.label`."""

import json
import os
import tempfile
import tomllib
import warnings

from .. import _slips
from .._errors import JudgeError, SettingsError, ToolJudgeWarning
from .._jobs import label, resnap

# The column that holds a prompt, which no log has.
_PROMPT = "llm_classify prompt"
# Options of `tooljudge.label` that say nothing of what is asked.
OPTIONS = [
    *("allow_http", "api_key_env", "base_url", "config", "fresh", "ignore_rate_headers", "itpm", "keep_prompts", "max_cost"),
    *("max_tokens", "max_wait", "otpm", "retry", "rpm", "snap", "store", "tpm", "votes"),
]


def ask(prompts, judge, settings):
    """The labelled rows of these prompts; where the judge failed for all rows, those whose replies had come."""
    _refuse_defaults(settings.get("config") or "tooljudge.toml")
    with tempfile.TemporaryDirectory(prefix="tooljudge-") as folder:
        template = os.path.join(folder, "llm_classify.txt")
        with open(template, "w") as file:
            file.write(f'{{row["{_PROMPT}"]}}')
        settings = {**settings, "judge": judge.name, "template": template, "from_": "rows", "prefix": "", "return_summary": False}
        if settings.get("store") is False:
            settings["store"] = os.path.join(folder, "replies.sqlite")
        if judge.key is not None and "api_key_env" not in settings:
            settings["api_key"] = judge.key
        elif judge.key_env is not None:
            settings.setdefault("api_key_env", judge.key_env)
        if judge.headers or judge.query or judge.body:
            _configure(judge, settings, folder)
        return _labelled([{_PROMPT: prompt} for prompt in prompts], settings)


def _labelled(rows, settings):
    if not rows:
        _slips.check(settings)
        return []
    with warnings.catch_warnings():
        # Its text is that of the prompts.
        warnings.filterwarnings("ignore", "the template llm_classify (never names|does not ask)", ToolJudgeWarning)
        try:
            made = label(rows, **settings)
        except JudgeError as error:
            if settings.get("fresh"):
                raise
            try:
                made = resnap(rows, **{**settings, "progress": False})
            except SettingsError:
                # No reply came.
                raise error from None
            first = next((row for row in made if row["status"] == "not_asked"), None)
            if first is None or all(row["status"] == "not_asked" for row in made):
                raise
            first.update(status="errored", error=str(error))
            warnings.warn(f"the run ended early, and the replies until then are given: {error}", ToolJudgeWarning, stacklevel=4)
    return made


def _refuse_defaults(path):
    """Raises if a settings file would change what is asked, or of which rows."""
    try:
        with open(path, "rb") as file:
            defaults = tomllib.load(file).get("label", {})
    except (OSError, tomllib.TOMLDecodeError):
        # The job itself says what is wrong with it, if it is there.
        return
    allowed = {*OPTIONS, "judge", "temperature", "timeout", "max_attempts", "concurrency", "allow_unjudged"}
    for name in defaults:
        if name not in allowed:
            raise SettingsError(
                f"{path} sets {name} under [label], which llm_classify cannot have; name a file without it by config="
            )


def _configure(judge, settings, folder):
    """Puts what has no option into a settings file."""
    if "config" in settings or os.path.exists("tooljudge.toml"):
        given = ", ".join([*judge.headers, *judge.query, *judge.body])
        raise SettingsError(
            f"there is a settings file, so put {given} into it as a judge of its own, and name the judge: model='NAME'"
        )
    entry = {"judge": judge.name, "base_url": settings.pop("base_url", None), "api_key_env": settings.pop("api_key_env", None)}
    usual = {"azure": "AZURE_OPENAI_API_KEY", "openai": "OPENAI_API_KEY"}.get(judge.name.partition(":")[0])
    keyless = entry["api_key_env"] is None and "api_key" not in settings
    if keyless and entry["base_url"] is not None and usual in os.environ:
        entry["api_key_env"] = usual
    # A dollar sign in a header would name a variable of the environment.
    for name, value in {**judge.headers, **judge.query}.items():
        if "${" in str(value):
            raise SettingsError(
                f"{name}: a value with `${{` cannot be sent; put it into a settings file, by the name of a variable"
            )
    entry.update(headers=dict(judge.headers), query=judge.query, body=judge.body)
    settings["judge"], settings["config"] = "phoenix", os.path.join(folder, "tooljudge.toml")
    with open(settings["config"], "w") as file:
        file.write("[judges.phoenix]\n")
        file.writelines(f"{name} = {_toml(name, value)}\n" for name, value in entry.items() if value)


def _toml(name, value):
    if isinstance(value, dict) or hasattr(value, "items"):
        return (
            "{ "
            + ", ".join(f"{json.dumps(str(key), ensure_ascii=False)} = {_toml(key, one)}" for key, one in value.items())
            + " }"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(name, one) for one in value) + "]"
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False)
    raise SettingsError(f"{name}: {type(value).__name__} cannot be sent; give texts, numbers, lists and dicts")
