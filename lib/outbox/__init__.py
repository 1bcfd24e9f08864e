"""The outbox: turns on disk until the runtime has them, each recorded once and in order."""

from lib.outbox.export import kept_as_json
from lib.outbox.outbox import Outbox
from lib.outbox.values import Backlog, KeptTurn, Recording, RecordState

__all__ = ["Backlog", "KeptTurn", "Outbox", "RecordState", "Recording", "kept_as_json"]
