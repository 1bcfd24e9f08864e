"""The baselines that send earlier conversations instead of memory: all of them, or the last few."""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.assistant import PreparedPrompt, ReplyOptions
from lib.errors import InputError
from lib.models import Episode, Message, Timeline
from lib.pricing import price_of
from lib.prompt import build_messages
from lib.tokens import count_prompt_tokens

ASSUMED_WINDOW = 128_000
"""Tokens for a model whose window the price file does not name."""


@dataclass(frozen=True, slots=True)
class HistoryUse:
    """How much of the recorded history a prompt carries, in episodes."""

    sent: int
    recorded: int
    """Episodes that are listed; more may exist where `complete` is False."""
    complete: bool
    window: int
    """Tokens of prompt and reply together that the model reads."""
    window_known: bool
    left_out: int = 0
    """Episodes, oldest first, that the window had no room for."""


def history_prompt(
    timeline: Timeline,
    *,
    message: str,
    options: ReplyOptions,
    pricing_model: str,
    last_turns: int | None = None,
) -> tuple[PreparedPrompt, HistoryUse]:
    """The prompt with recorded turns before `message`, oldest first, and how many there are.

    Where they exceed the model's window, less the reply's share, the oldest are left out: nothing
    is shortened in the middle. Raises InputError for `last_turns` of a runtime that lists only the
    oldest episodes.
    """
    if last_turns is not None and not timeline.complete:
        raise InputError(
            f"This runtime lists only the first {len(timeline.episodes):,} episodes, so the last "
            f"{last_turns:,} turns are not known."
        )
    turns = _current(timeline.episodes)
    wanted = turns if last_turns is None else turns[-last_turns:] if last_turns else []
    price = price_of(pricing_model)
    window = price.window if price and price.window else None
    room = (window or ASSUMED_WINDOW) - options.reply_max_tokens
    base = build_messages(options.system_prompt, message)
    used = count_prompt_tokens(base, model=pricing_model).tokens
    kept: list[Episode] = []
    for episode in reversed(wanted):
        used += turn_tokens(episode, model=pricing_model)
        if used > room:
            break
        kept.append(episode)
    history = [part for episode in reversed(kept) for part in episode.messages]
    messages = build_messages(options.system_prompt, message, history=history)
    use = HistoryUse(
        sent=len(kept),
        recorded=len(turns),
        complete=timeline.complete,
        window=window or ASSUMED_WINDOW,
        window_known=window is not None,
        left_out=len(wanted) - len(kept),
    )
    return PreparedPrompt(messages, None, None), use


def turn_tokens(episode: Episode, *, model: str) -> int:
    """Prompt tokens that the messages of one episode add, framing included."""
    none: Sequence[Message] = ()
    whole = count_prompt_tokens(episode.messages, model=model).tokens
    return whole - count_prompt_tokens(none, model=model).tokens


def _current(episodes: Sequence[Episode]) -> list[Episode]:
    """Turns with text, without those that a later one replaced."""
    replaced = {str(episode.metadata.get("replaces")) for episode in episodes}
    return [item for item in episodes if item.messages and item.id not in replaced]
