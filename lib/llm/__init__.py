"""A language model behind any OpenAI-compatible endpoint."""

from lib.llm.model import OpenAIModel

__all__ = ["OpenAIModel"]
