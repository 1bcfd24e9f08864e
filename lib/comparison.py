"""One message answered twice, without and with memory; everything else is the same."""

from dataclasses import dataclass
from typing import Literal

from lib.assistant import PreparedPrompt, ReplyOptions
from lib.models import ReplyEnd

SideName = Literal["stateless", "memory"]


@dataclass(frozen=True, slots=True)
class SideReply:
    """One side's prompt and reply; `end` is None until the reply is whole."""

    prompt: PreparedPrompt | None = None
    text: str = ""
    end: ReplyEnd | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A message and the replies to it; a side is None until it has been asked."""

    id: str
    subject_id: str
    message: str
    options: ReplyOptions
    pricing_model: str
    record: bool = False
    stateless: SideReply | None = None
    memory: SideReply | None = None
    episode_id: str | None = None
