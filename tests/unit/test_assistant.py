"""Context and prompt of one reply: memory may fail, the reply goes out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lib.assistant import CONTEXT_DEADLINE_S, ReplyOptions, open_reply, prepare_prompt
from lib.embedded.runtime import EmbeddedRuntime
from lib.errors import StatewaveConnectionError
from lib.models import ContextBundle, Message
from lib.offline import OfflineReader
from lib.prompt import read_memory_block
from tests.support.plain_compiler import PlainCompiler


class DownRuntime(EmbeddedRuntime):
    """Answers nothing about context."""

    def get_context(self, *args: Any, **kwargs: Any) -> ContextBundle:
        self.asked = (args, kwargs)
        raise StatewaveConnectionError("The server did not answer in time.")


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[EmbeddedRuntime]:
    engine = EmbeddedRuntime(tmp_path / "memory.db", compiler=PlainCompiler())
    engine.record_episode("ada", "Ada ships on Fridays.")
    engine.compile_memories("ada")
    yield engine
    engine.close()


@pytest.fixture
def down(tmp_path: Path) -> Iterator[DownRuntime]:
    engine = DownRuntime(tmp_path / "down.db", compiler=PlainCompiler())
    yield engine
    engine.close()


def test_memory_stands_in_the_prompt_word_for_word(runtime: EmbeddedRuntime) -> None:
    prompt = prepare_prompt(
        runtime, "ada", message="When does Ada ship?", options=ReplyOptions(max_tokens=200)
    )
    assert prompt.bundle
    assert prompt.bundle.context_used
    assert read_memory_block(prompt.messages) == prompt.bundle.assembled_context.strip()
    assert prompt.messages[-1] == Message("user", "When does Ada ship?")
    assert prompt.context_ms is not None


def test_a_new_subject_gets_no_memory_block(runtime: EmbeddedRuntime) -> None:
    prompt = prepare_prompt(runtime, "nobody", message="Hello", options=ReplyOptions())
    assert read_memory_block(prompt.messages) is None
    assert prompt.memory_error is None


def test_earlier_turns_stand_between_the_system_prompt_and_the_message(
    runtime: EmbeddedRuntime,
) -> None:
    history = (Message("user", "Hi"), Message("assistant", "Hello"))
    prompt = prepare_prompt(
        runtime, "ada", message="And why?", options=ReplyOptions(), history=history
    )
    assert prompt.messages[1:] == (*history, Message("user", "And why?"))


def test_a_runtime_that_fails_costs_the_memory_and_not_the_reply(down: DownRuntime) -> None:
    prompt = prepare_prompt(down, "ada", message="When?", options=ReplyOptions())
    assert prompt.bundle is None
    assert prompt.memory_error == "The server did not answer in time."
    assert prompt.messages[-1].content == "When?"
    assert "".join(
        open_reply(OfflineReader(pricing_model="gpt-4o-mini"), prompt, options=ReplyOptions())
    )


def test_a_reply_waits_for_memory_only_so_long(down: DownRuntime) -> None:
    prepare_prompt(
        down, "ada", message="When?", options=ReplyOptions(max_tokens=90), session_id="s"
    )
    _, options = down.asked
    assert options["deadline_s"] == CONTEXT_DEADLINE_S == 3.0
    assert options["max_tokens"] == 90
    assert options["session_id"] == "s"


def test_without_memory_the_runtime_is_not_asked(down: DownRuntime) -> None:
    prompt = prepare_prompt(down, "ada", message="When?", options=ReplyOptions(use_memory=False))
    assert prompt.memory_error is None
    assert not hasattr(down, "asked")
