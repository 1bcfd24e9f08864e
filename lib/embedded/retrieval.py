"""What a task asks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lib.embedded.wording import STOPWORDS, clean, one_line
from lib.errors import InputError

TASK_CHARS = 4000
DEFAULT_TASK = "What should I know about this subject?"

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

    def terms_without(self, names: Iterable[str]) -> tuple[str, ...]:
        """The terms that are not words of one of the names."""
        words = {_quoted(word) for name in names for word in _WORD.findall(name.casefold())}
        return tuple(term for term in self.terms if term not in words)

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
