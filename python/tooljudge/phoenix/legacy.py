"""The names of `phoenix.evals.legacy` of Phoenix 3, where it keeps those of Phoenix 2: as far as they are here."""

from . import AnthropicModel, GeminiModel, GoogleGenAIModel, LiteLLMModel, MistralAIModel, OpenAIModel, __getattr__, llm_classify  # noqa: F401

__all__ = ["AnthropicModel", "GeminiModel", "GoogleGenAIModel", "LiteLLMModel", "MistralAIModel", "OpenAIModel", "llm_classify"]
