"""The offline reader: a ChatModel without a language model, which only quotes what it is given."""

from lib.offline.reader import OfflineReader

__all__ = ["OfflineReader"]
