"""One turn of the assistant: context → prompt → stream → record."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from lib.errors import StatewaveError
from lib.models import ContextBundle, Message
from lib.prompt import DEFAULT_SYSTEM_PROMPT, build_messages
from lib.protocol import ChatModel, MemoryRuntime, ReplyStream

CONTEXT_DEADLINE_S = 3.0
"""How long a reply waits for memory before it goes out without."""


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """What the visitor chose for a reply; `max_tokens` is the token budget of the context."""

    max_tokens: int = 800
    temperature: float = 0.2
    system_prompt: str = DEFAULT_SYSTEM_PROMPT
    model: str | None = None
    use_memory: bool = True
    reply_max_tokens: int = 800


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    """The exact messages for the model, and how memory contributed to them."""

    messages: tuple[Message, ...]
    bundle: ContextBundle | None
    context_ms: float | None
    memory_error: str | None = None
    """Why there is no memory, when the runtime failed; the reply goes out without."""


def prepare_prompt(
    runtime: MemoryRuntime,
    subject_id: str,
    *,
    message: str,
    options: ReplyOptions,
    session_id: str | None = None,
    history: Sequence[Message] = (),
) -> PreparedPrompt:
    """The prompt for `message`. A runtime that fails costs the memory, never the reply."""
    if not options.use_memory:
        messages = build_messages(options.system_prompt, message, history=history)
        return PreparedPrompt(messages, None, None)
    started = perf_counter()
    bundle: ContextBundle | None = None
    failure: str | None = None
    try:
        bundle = runtime.get_context(
            subject_id,
            message,
            max_tokens=options.max_tokens,
            session_id=session_id,
            deadline_s=CONTEXT_DEADLINE_S,
        )
    except StatewaveError as error:
        failure = str(error)
    context_ms = (perf_counter() - started) * 1000
    messages = build_messages(options.system_prompt, message, bundle=bundle, history=history)
    return PreparedPrompt(messages, bundle, context_ms, failure)


def open_reply(model: ChatModel, prompt: PreparedPrompt, *, options: ReplyOptions) -> ReplyStream:
    """The model's reply stream to `prompt`. Raises ModelError."""
    return model.stream(
        prompt.messages,
        max_tokens=options.reply_max_tokens,
        temperature=options.temperature,
        model=options.model,
    )
