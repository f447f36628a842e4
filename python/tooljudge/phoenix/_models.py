"""Phoenix's model classes, and the judges that they correspond to."""

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import SettingsError


@dataclass(kw_only=True)
class _Model:
    default_concurrency: int = 20


@dataclass(kw_only=True)
class OpenAIModel(_Model):
    """A model behind OpenAI's chat completions, at OpenAI, at Azure, or at any address (`base_url`)."""

    api_key: str | None = field(repr=False, default=None)
    organization: str | None = field(repr=False, default=None)
    base_url: str | None = None
    model: str = "gpt-4"
    temperature: float = 0.0
    max_tokens: int | None = None
    top_p: float = 1
    frequency_penalty: float = 0
    presence_penalty: float = 0
    n: int = 1
    model_kwargs: Mapping[str, Any] = field(default_factory=dict)
    request_timeout: float | None = 30
    initial_rate_limit: int = 10
    timeout: int = 120
    api_version: str | None = None
    azure_endpoint: str | None = None
    azure_deployment: str | None = None
    azure_ad_token: str | None = field(repr=False, default=None)
    azure_ad_token_provider: object = field(repr=False, default=None)
    default_headers: Mapping[str, Any] | None = field(repr=False, default=None)
    model_name: str | None = None

    def __post_init__(self) -> None:
        _migrate(self)


@dataclass(kw_only=True)
class AnthropicModel(_Model):
    """A model of Anthropic's; the key is that of ANTHROPIC_API_KEY."""

    model: str = "claude-2.1"
    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1
    top_k: int = 256
    stop_sequences: list[str] = field(default_factory=list)
    extra_parameters: Mapping[str, Any] = field(default_factory=dict)
    max_content_size: int | None = None
    initial_rate_limit: int = 5
    timeout: int = 120


@dataclass(kw_only=True)
class GeminiModel(_Model):
    """A model of Google's, asked by the Gemini API with the key of GEMINI_API_KEY or GOOGLE_API_KEY."""

    project: str | None = None
    location: str | None = None
    credentials: object = field(repr=False, default=None)
    default_concurrency: int = 5
    model: str = "gemini-2.5-flash"
    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1
    top_k: int = 32
    stop_sequences: list[str] = field(default_factory=list)
    initial_rate_limit: int = 5
    timeout: int = 120
    model_kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class GoogleGenAIModel(_Model):
    """A model of Google's, asked by the Gemini API."""

    model: str = "gemini-2.5-flash"
    vertexai: bool | None = None
    api_key: str | None = field(repr=False, default=None)
    credentials: object = field(repr=False, default=None)
    project: str | None = None
    location: str | None = None
    initial_rate_limit: int = 5


@dataclass(kw_only=True)
class LiteLLMModel(_Model):
    """A model by LiteLLM's name for it, `provider/model`, if tooljudge knows the provider."""

    model: str = "gpt-3.5-turbo"
    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1
    num_retries: int = 0
    request_timeout: int = 60
    model_kwargs: Mapping[str, Any] = field(default_factory=dict)
    model_name: str | None = None

    def __post_init__(self) -> None:
        _migrate(self)


@dataclass(kw_only=True)
class MistralAIModel(_Model):
    """A model of Mistral's, asked by its chat completions, which are OpenAI's; the key is that of MISTRAL_API_KEY."""

    model: str = "mistral-large-latest"
    temperature: float = 0
    top_p: float | None = None
    random_seed: int | None = None
    response_format: Mapping[str, Any] | None = None
    api_key: str | None = field(repr=False, default=None)
    safe_prompt: bool = False
    initial_rate_limit: int = 5
    timeout: int = 120


def _migrate(model):
    if model.model_name:
        warnings.warn("`model_name` is deprecated; use `model`", DeprecationWarning, stacklevel=4)
        model.model, model.model_name = model.model_name, None


@dataclass
class Judge:
    """What `tooljudge.label` is to be told of a model."""

    name: str
    concurrency: int = 20
    # Options of `label`.
    options: dict[str, Any] = field(default_factory=dict)
    key: str | None = field(repr=False, default=None)
    # The variable with the key that its address would not get by itself.
    key_env: str | None = None
    # What a settings file holds beside: headers, query, and fields of the body.
    headers: dict[str, Any] = field(repr=False, default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    # Whether Phoenix would have forced its label by a function call.
    forced: bool = False


def judge_of(model: Any) -> Judge:
    """The judge that a model names: one of these classes, Phoenix's of the same name, or a text such as `openai:gpt-5-mini`."""
    if isinstance(model, str):
        if model.partition(":")[0] == "builtin":
            raise SettingsError("model: the built-in judge reads no templates; use tooljudge.label(df, judge='builtin')")
        return Judge(model)
    for kind in type(model).__mro__:
        if kind.__name__ in _JUDGES:
            judge = _JUDGES[kind.__name__](model)
            judge.concurrency = model.default_concurrency
            starts = getattr(model, "initial_rate_limit", None)
            if starts is not None and starts != getattr(globals()[kind.__name__], "initial_rate_limit", None):
                judge.options["rpm"] = 60 * starts
            return judge
    known = ", ".join(_JUDGES)
    raise SettingsError(
        f"model: {type(model).__name__} cannot be asked; use one of {known}, or a text such as 'openai:gpt-5-mini'"
    )


def _openai(model):
    _refuse(model, n=(1, "ask for several answers with votes=3"))
    timeout = model.request_timeout if model.request_timeout is not None else model.timeout
    if isinstance(timeout, tuple):
        raise SettingsError("request_timeout: give one number of seconds")
    options = {"temperature": model.temperature, "max_tokens": model.max_tokens, "timeout": timeout}
    rest = {"key": model.api_key, "forced": not model.model.startswith(("o1", "gpt-3.5-turbo-instruct"))}
    body = _changed(model, top_p=1, frequency_penalty=0, presence_penalty=0) | dict(model.model_kwargs)
    headers = dict(model.default_headers or {})
    if model.organization:
        headers["OpenAI-Organization"] = model.organization
    if model.azure_endpoint:
        bearer = "OpenAIModel(model=DEPLOYMENT, base_url=azure_endpoint + '/openai/v1', api_key=TOKEN) sends a token"
        _refuse(model, azure_ad_token=(None, bearer), azure_ad_token_provider=(None, bearer))
        query = {"api-version": model.api_version} if model.api_version else {}
        name = f"azure:{model.azure_deployment or model.model}"
        return Judge(name, options=options | {"base_url": model.azure_endpoint}, body=body, headers=headers, query=query, **rest)
    if model.base_url:
        options["base_url"] = str(model.base_url)
    return Judge(f"openai:{model.model}", options=options, body=body, headers=headers, **rest)


def _anthropic(model):
    _refuse(model, max_content_size=(None, "prompts are sent whole"))
    body = _changed(model, top_p=1, top_k=256, stop_sequences=[]) | dict(model.extra_parameters)
    return Judge(f"anthropic:{model.model}", options=_settings(model), body=body)


def _gemini(model):
    vertex = "tooljudge asks the Gemini API, not Vertex AI; leave it out, and set GEMINI_API_KEY"
    _refuse(model, project=(None, vertex), location=(None, vertex), credentials=(None, vertex), vertexai=(None, vertex))
    if getattr(model, "model_kwargs", None):
        raise SettingsError("model_kwargs: they are arguments of Vertex AI's classes; leave them out")
    _refuse(model, top_p=(1, "leave it out"), top_k=(32, "leave it out"), stop_sequences=([], "leave them out"))
    name = None if os.environ.get("GEMINI_API_KEY") else "GOOGLE_API_KEY" if os.environ.get("GOOGLE_API_KEY") else None
    return Judge(f"gemini:{model.model}", options=_settings(model), key=getattr(model, "api_key", None), key_env=name)


# LiteLLM's names of the providers that tooljudge asks too; None is OpenAI.
_LITELLM = {
    None: "openai",
    "openai": "openai",
    "azure": "azure",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "ollama_chat": "ollama",
    "hosted_vllm": "vllm",
}


def _litellm(model):
    provider, name = model.model.split("/", 1) if "/" in model.model else (None, model.model)
    if provider is None and name.startswith("claude"):
        provider = "anthropic"
    if provider not in _LITELLM or provider is None and not name.startswith(("gpt-", "chatgpt-", "o1", "o3", "o4")):
        raise SettingsError(
            f"model: {model.model!r} names none of the providers {', '.join(filter(None, _LITELLM))}; for others start "
            "LiteLLM's proxy, and use OpenAIModel(model=..., base_url=PROXY, api_key=...)"
        )
    extra = dict(model.model_kwargs)
    options = {"temperature": model.temperature, "max_tokens": model.max_tokens, "timeout": model.request_timeout}
    address = extra.pop("api_base", None) or extra.pop("base_url", None)
    if _LITELLM[provider] == "ollama":
        address = address or os.environ.get("OLLAMA_API_BASE")
    if address:
        options["base_url"] = str(address)
    query = {"api-version": extra.pop("api_version")} if "api_version" in extra else {}
    body = _changed(model, top_p=1)
    return Judge(f"{_LITELLM[provider]}:{name}", options=options, key=extra.pop("api_key", None), query=query, body=body | extra)


def _mistral(model):
    _refuse(model, response_format=(None, "the label is forced by a schema of its own; leave it out"))
    body = _changed(model, top_p=None, random_seed=None, safe_prompt=False)
    options = {"temperature": model.temperature, "timeout": model.timeout, "base_url": "https://api.mistral.ai/v1"}
    return Judge(f"openai:{model.model}", options=options, key=model.api_key, key_env="MISTRAL_API_KEY", body=body)


def _refused(model):
    from ._absent import ON_USE

    raise SettingsError(f"model: {ON_USE[type(model).__name__]}")


_JUDGES = {
    "OpenAIModel": _openai,
    "AnthropicModel": _anthropic,
    "GeminiModel": _gemini,
    "GoogleGenAIModel": _gemini,
    "LiteLLMModel": _litellm,
    "MistralAIModel": _mistral,
    "BedrockModel": _refused,
    "VertexAIModel": _refused,
}


def _settings(model):
    return {name: getattr(model, name) for name in ("temperature", "max_tokens", "timeout") if hasattr(model, name)}


def _changed(model, **usual):
    """The parameters that are not at their usual values."""
    return {name: getattr(model, name) for name, value in usual.items() if getattr(model, name) != value}


def _refuse(model, **usual):
    """Raises for a parameter that is not at its usual value and cannot be passed on."""
    for name, (value, advice) in usual.items():
        if getattr(model, name, value) not in (value, None):
            raise SettingsError(f"{name}: {advice}")
