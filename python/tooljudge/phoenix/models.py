"""The names of `phoenix.evals.models` of Phoenix 2, as far as they are here."""

from . import AnthropicModel, GeminiModel, GoogleGenAIModel, LiteLLMModel, MistralAIModel, OpenAIModel, __getattr__  # noqa: F401

__all__ = ["AnthropicModel", "GeminiModel", "GoogleGenAIModel", "LiteLLMModel", "MistralAIModel", "OpenAIModel"]
