"""Nothing a memory or model writes may act on the page."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.ui.text import inert, joined, literal

JOINER = "\u2060"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** _x_ `y`", r"\*\*bold\*\* \_x\_ \`y\`"),
        ("[a](b) ![c](d)", r"\[a\]\(b\) \!\[c\]\(d\)"),
        ("<b>&amp;</b>", r"\<b\>\&amp;\</b\>"),
        ("two\n  lines", "two lines"),
        ("see https://a.example/x_y, ok", "see `https://a.example/x_y`, ok"),
        ("mail a@b.example now", "mail `a@b.example` now"),
        ("$5 and $x$", r"\$5 and \$x\$"),
        ("", ""),
    ],
)
def test_literal_text_shows_every_character(text: str, shown: str) -> None:
    assert literal(text) == shown


@pytest.mark.parametrize("text", ["A -> B", "a >= b", "x -- y", ":material/home:", ":streamlit:"])
def test_what_streamlit_replaces_in_finished_text_is_broken_by_an_invisible_joiner(
    text: str,
) -> None:
    shown = literal(text).replace("\\", "")
    assert shown.replace(JOINER, "") == text
    assert JOINER in shown


@pytest.mark.parametrize(
    "kept",
    [
        "# Heading",
        "- item",
        "1. item",
        "> quote",
        "**bold** and *italic* and ~~gone~~",
        "| a | b |\n|:--|--:|\n| 1 | 2 |",
        "`x[0] < 3 | sort`",
        "```python\nx = a[0]  # <b>\n```",
        "~~~\n[a](b)\n~~~",
        "---",
    ],
)
def test_ordinary_markdown_keeps_its_form(kept: str) -> None:
    assert inert(kept) == kept


@pytest.mark.parametrize(
    ("live", "shown"),
    [
        ("![x](http://e.example/x.png)", "x (`http://e.example/x.png`)"),
        ("[text](http://e.example)", "text (`http://e.example`)"),
        ("[`code`](http://e.example)", "`code` (`http://e.example`)"),
        ("[![i](http://e.example/i)](http://f.example)", "i (`http://e.example/i`) (`http://f.exa"),
        ('[t](http://e.example "title")', "t (`http://e.example`)"),
        ("https://e.example/a.", "`https://e.example/a`."),
        ("**https://e.example**", "**`https://e.example`**"),
        ("www.e.example", "`www.e.example`"),
        ("<img src=x>", r"\<img src=x>"),
        ("[a]: http://e.example", r"\[a\]\: `http://e.example`"),
        ("$x^2$", r"\$x^2\$"),
        (":red[x]", r"\:red\[x\]"),
        (":::note", r"\:\:\:note"),
        ("&lt;", r"\&lt;"),
    ],
)
def test_what_would_load_or_navigate_is_shown_as_text(live: str, shown: str) -> None:
    assert inert(live).startswith(shown)


def test_escapes_that_are_already_there_are_not_undone() -> None:
    assert inert(r"\<b>") == r"\<b>"
    assert inert(r"\\<b>") == r"\\\<b>"
    assert inert(r"\:material/home:") == rf"\:{JOINER}material/home\:"


def test_an_unpaired_backtick_cannot_pair_with_one_on_a_later_line() -> None:
    assert inert("one ` tick\n` ![x](http://e.example) `").splitlines() == [
        r"one \` tick",
        "` ![x](http://e.example) `",
    ]


def test_a_fence_inside_a_list_or_quote_ends_only_with_its_own_closing_line() -> None:
    assert inert("- a\n\n  ```py\n  x = 1\n![x](http://e.example)").splitlines()[2:] == [
        "```py",
        "x = 1",
        "![x](http://e.example)",
    ]
    quoted = inert("> ```\n![x](http://e.example)").splitlines()
    assert quoted == [r"> \`\`\`", "x (`http://e.example`)"]


def test_a_table_cannot_cut_a_code_span_open() -> None:
    row = inert("| a | b |\n|--|--|\n| ` | ![x](http://e.example) | ` |").splitlines()[-1]
    assert row == r"| ` \| ![x](http://e.example) \| ` |"


@pytest.mark.parametrize("language", ["mermaid", "math", "Mermaid"])
def test_fences_that_would_be_drawn_are_shown_as_text(language: str) -> None:
    assert inert(f"```{language}\ngraph TD\n```") == "```text\ngraph TD\n```"


def test_text_cut_off_in_mid_stream_is_inert_too() -> None:
    whole = "see ![x](http://e.example/x.png) and ```\n[a](http://e.example)\n```"
    for end in range(len(whole)):
        shown = inert(whole[:end])
        assert "](" not in shown.partition("```")[0].replace("\\]", "")


@given(st.text(alphabet="`|[]()!<>\\ \n:/a.h$-", max_size=60))
def test_no_line_outside_code_keeps_a_live_bracket_or_tag(text: str) -> None:
    in_fence = ""
    for line in inert(text).split("\n"):
        mark = line[:3] if line.startswith(("```", "~~~")) and "`" not in line.lstrip("`") else ""
        if in_fence:
            in_fence = "" if line.strip(" ").strip(in_fence) == "" and line.strip() else in_fence
            continue
        if mark:
            in_fence = mark[0]
            continue
        outside = _without_code(line)
        assert "](" not in outside.replace("\\]", "")
        assert "<" not in outside.replace("\\<", "")


def _without_code(line: str) -> str:
    """The line without its code spans and escapes, by CommonMark's rule for backtick runs."""
    kept, at = [], 0
    while at < len(line):
        if line[at] == "\\" and at + 1 < len(line):
            kept.append(line[at : at + 2])
            at += 2
            continue
        if line[at] == "`":
            run = len(line[at:]) - len(line[at:].lstrip("`"))
            end = at + run
            while end < len(line):
                if line[end] != "`":
                    end += 1
                    continue
                close = len(line[end:]) - len(line[end:].lstrip("`"))
                end += close
                if close == run:
                    break
            else:
                raise AssertionError(f"unpaired backticks: {line!r}")
            at = end
            continue
        kept.append(line[at])
        at += 1
    return "".join(kept)


def test_figures_break_between_each_other_only() -> None:
    assert joined(["14 tokens", "score 9.2"]) == "14\u00a0tokens\u00a0· score\u00a09.2"


@pytest.mark.parametrize(
    "text",
    [
        " " * 50_000 + "x",
        ">" * 50_000 + "x",
        " " * 25_000 + ":" + " " * 25_000,
        "[a](" + " " * 50_000,
        "[" * 12_000 + "a" + "](b)" * 12_000,
    ],
    ids=["blanks", "quotes", "blanks and a colon", "open link", "links in links"],
)
def test_a_long_run_of_one_character_cannot_hold_the_page(text: str) -> None:
    started = time.perf_counter()
    shown = inert(text)
    # Each of these took more than 20 s while the expressions could go back step by step.
    assert time.perf_counter() - started < 5
    assert not re.search(r"(?<!\\)[\[<]", shown)
