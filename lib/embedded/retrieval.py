"""What a task asks for, and how relevant each candidate's words are to it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lib.embedded.candidates import Columns, Ints
from lib.embedded.wording import STOPWORDS, clean, one_line
from lib.errors import InputError

MAX_RELEVANCE = 8.0
TASK_CHARS = 4000
DEFAULT_TASK = "What should I know about this subject?"

# Okapi BM25 (Robertson and Zaragoza 2009) with the parameters FTS5 uses.
_K1, _B = 1.2, 0.75
_FULL_SHARE = 0.5
"""A best line with this share of the task's weight scores 8; a weaker best line scores less."""
NEIGHBOUR_SHARE = 0.75
"""What was said right before and after a hit is worth this share of it: its question or answer."""
_MAX_TERMS = 32

# Words of a task that say how something is asked, not what about.
_ASKING = """
    answer ask back before briefly currently dear earlier explain fine formerly give good great
    hello help hey hi idea initially know let like look maybe mean morning need ok okay
    originally please previous previously question remember remind said say see show still sure
    tell thank thanks think today understand wonder yet
"""
# Short or everyday words for what memories, their tags and their slots call otherwise.
_ALSO = {
    "app": "application",
    "auth": "authentication",
    "city": "home",
    "company": "employer",
    "config": "configuration",
    "db": "database",
    "deadline": "date",
    "docs": "documentation",
    "env": "environment",
    "job": "role",
    "js": "javascript",
    "k8s": "kubernetes",
    "repo": "repository",
    "ts": "typescript",
}
_TASK_WORDS = STOPWORDS | frozenset(_ASKING.split())
_PROFILE = re.compile(
    r"\b(about (me|this (subject|person|user))|who am i|know me|my (profile|background))\b",
    re.IGNORECASE,
)
# Broad only when nothing follows: "what do you know about chunking?" has a topic.
_OPEN_QUESTION = re.compile(r"\b(know|remember|recall)\b", re.IGNORECASE)
_RECAP = re.compile(
    r"\b(summar|recap|overview|left off|leave off|pick(ed)? up where|catch (me )?up|so far|"
    r"last (session|time)|previous(ly)? (session|discuss|talk)|where (were|are) we|"
    r"(did|have|had) we (discuss|talk|do|cover|work)|been working on)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(before|used to|previous|previously|original|originally|former|formerly|first|earlier|"
    r"initial|initially|in the past|back then|at that time|chang(e|ed|es)|switch(ed)?|moved?|"
    r"migrat(e|ed)|no longer|any ?more|history|old)\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(i|me|my|mine|we|us|our|ours)\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W_]+(?:[_./:@#+-]+[^\W_]+)+")
_UNSPACED_RUN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A task as retrieval understands it.

    `terms` are quoted FTS5 expressions. `profile` and `recap` are broad tasks: about the
    person, about earlier sessions. `past` asks what held before, `personal` is about "me".
    """

    text: str
    terms: tuple[str, ...]
    profile: bool
    recap: bool
    past: bool
    personal: bool

    @property
    def broad(self) -> bool:
        """True when no single topic is asked for."""
        return self.profile or self.recap


def read_task(task: str) -> Reading:
    """What `task` asks for; an empty one asks for the subject, a long one is cut."""
    text = one_line(clean(task))[:TASK_CHARS].strip() or DEFAULT_TASK
    terms = tuple(_terms(text))
    return Reading(
        text=text,
        terms=terms,
        profile=bool(_PROFILE.search(text) or (not terms and _OPEN_QUESTION.search(text))),
        recap=bool(_RECAP.search(text)),
        past=bool(_PAST.search(text)),
        personal=bool(terms) and bool(_PERSONAL.search(text)),
    )


def search_expression(query: str) -> str | None:
    """An FTS5 expression for a search box: any word, the last one as a beginning."""
    words = [word for run in _split_unspaced(query.casefold()) for word in run]
    if not words:
        return None
    kept = [word for word in words[:-1] if word not in STOPWORDS][:_MAX_TERMS]
    return " OR ".join([*map(_quoted, kept), f"{_quoted(words[-1])} *"])


def relevance(columns: Columns, matches: Sequence[Ints]) -> NDArray[np.float64]:
    """0–8 for each candidate from the rows that each term of the task matches.

    BM25 with a term frequency of one, as no line is longer than 80 tokens, and with the
    document frequencies of this subject alone, so that other subjects cannot change a context.
    A term that nothing matches weighs as well: it says that the task is about something else.
    A line of an episode also counts for what its neighbours say.
    """
    count = len(columns.key)
    scores = np.zeros(count)
    if not count or not matches:
        return scores
    lengths = columns.tokens / max(1.0, float(columns.tokens.mean()))
    norms = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths))
    possible = 0.0
    for rows in matches:
        weight = float(np.log1p((count - len(rows) + 0.5) / (len(rows) + 0.5)))
        scores[rows] += weight * norms[rows]
        possible += weight
    best = max(float(scores.max()), _FULL_SHARE * possible)
    own = MAX_RELEVANCE * scores / best
    shared = own.copy()
    shared[columns.before] = np.maximum(own[columns.before], NEIGHBOUR_SHARE * own[columns.after])
    shared[columns.after] = np.maximum(shared[columns.after], NEIGHBOUR_SHARE * own[columns.before])
    return shared


def checked_budget(max_tokens: int) -> int:
    """`max_tokens` itself. Raises InputError when it is below one."""
    if max_tokens < 1:
        raise InputError(f"A token budget is at least 1 token, not {max_tokens}.")
    return max_tokens


def _terms(text: str) -> list[str]:
    folded = text.casefold()
    found: dict[str, None] = {}
    for identifier in _IDENTIFIER.findall(folded):
        found[_quoted(identifier)] = None
    for run in _split_unspaced(folded):
        for word in run:
            if word in _TASK_WORDS:
                continue
            also = word[:-1] if word[-1] == "s" and word[:-1].isdigit() else _ALSO.get(word, word)
            found[" OR ".join(map(_quoted, dict.fromkeys((word, also))))] = None
    return list(found)[:_MAX_TERMS]


def _split_unspaced(text: str) -> list[list[str]]:
    """Words by stretch; where a script has no spaces, pairs of neighbouring letters."""
    stretches: list[list[str]] = []
    for stretch in _WORD.findall(text):
        at = 0
        for run in _UNSPACED_RUN.finditer(stretch):
            if run.start() > at:
                stretches.append([stretch[at : run.start()]])
            letters = run.group()
            pairs = [" ".join(letters[i : i + 2]) for i in range(max(1, len(letters) - 1))]
            stretches.append(pairs)
            at = run.end()
        if at < len(stretch):
            stretches.append([stretch[at:]])
    return stretches


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
