"""The meter of the next prompt: its parts add up to what the model is billed for."""

from dataclasses import replace

from lib.assistant import ReplyOptions
from lib.conversation import measure_next_prompt
from lib.models import ContextBundle, Message
from lib.prompt import build_messages
from lib.tokens import count_prompt_tokens
from tests.support.canned import memory

MODEL = "gpt-4o-mini"
OPTIONS = ReplyOptions(max_tokens=500)
HISTORY = (Message("user", "Which database?"), Message("assistant", "Postgres, since March."))


def test_without_memory_the_meter_is_the_prompt_but_for_the_question() -> None:
    meter = measure_next_prompt(HISTORY, options=replace(OPTIONS, use_memory=False), model=MODEL)
    sent = build_messages(OPTIONS.system_prompt, "", history=HISTORY)
    assert meter.total == count_prompt_tokens(sent, model=MODEL).tokens
    assert meter.memory == 0
    assert not meter.estimate


def test_memory_counts_with_its_whole_budget_and_its_frame() -> None:
    meter = measure_next_prompt((), options=OPTIONS, model=MODEL)
    assert 500 < meter.memory < 560
    fact = memory(1, "Ada likes tea.")
    bundle = ContextBundle("ada", "?", "tea " * 500, 500, facts=(fact,))
    sent = build_messages(OPTIONS.system_prompt, "", bundle=bundle)
    assert count_prompt_tokens(sent, model=MODEL).tokens <= meter.total + 10


def test_history_grows_the_prompt_and_the_share_of_the_window() -> None:
    short = measure_next_prompt(HISTORY, options=OPTIONS, model=MODEL)
    long = measure_next_prompt(HISTORY * 100, options=OPTIONS, model=MODEL)
    assert short.window == 128_000
    assert short.share
    assert long.share
    assert short.share < long.share < 1
    assert long.history == 100 * short.history


def test_a_prompt_beyond_the_window_is_told() -> None:
    meter = measure_next_prompt((), options=ReplyOptions(max_tokens=128_000), model=MODEL)
    assert not meter.fits


def test_an_unknown_model_has_no_window_and_an_estimated_count() -> None:
    meter = measure_next_prompt(HISTORY, options=OPTIONS, model="llama3.2")
    assert meter.window is None
    assert meter.share is None
    assert meter.fits
    assert meter.estimate
