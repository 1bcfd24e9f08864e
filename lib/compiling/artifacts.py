"""Artifacts: links, files, tickets, packages, models and error codes worth finding again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lib.compiling.grammar import Voice, sentence_case, uncapitalised
from lib.compiling.sentences import Sentence, plain
from lib.compiling.topics import Topic, stands_alone, tell

_PATTERNS = (
    ("Link", re.compile(r"https?://[^\s<>()\"'“”`]+[^\s<>()\"'“”`.,;:!?]")),
    ("Ticket", re.compile(
        r"(?<![\w-])(?!(?:UTF|SHA|ISO|GPT|RFC|HTTP|AES|ES|IPV|COVID|CVE|MD|RSA|TLS|SSL|IEEE"
        r"|PEP|BASE|UTC|GMT|USB|DDR|RTX|GTX|HDMI|MP|X|Q|V|PM|S|H|T|A|F|B|INT|PY|CP|O|R|M"
        r"|ARM|AMD|LATIN|WINDOWS)-\d)[A-Z][A-Z0-9]{1,9}-\d{1,6}(?![\w-])")),
    ("File", re.compile(
        r"(?<![\w/:.@-])(?:[\w.@-]+/)+[\w.@-]*\.(?:py|ts|tsx|js|jsx|mjs|go|rs|java|kt|rb"
        r"|php|c|h|cpp|cs|swift|sql|toml|ya?ml|json|md|ini|cfg|conf|env|sh|tf|proto|html"
        r"|css|ipynb|csv|xml|txt|lock|gradle|vue|svelte|ex|exs|scala|lua|r|jl"
        r"|dart)(?![\w/])|(?<![\w/:.@-])(?:[\w.@-]+/)+(?:Dockerfile|Makefile|Procfile"
        r"|Caddyfile|Jenkinsfile)(?:\.\w+)?(?![\w/])")),
    ("Package", re.compile(r"(?<![\w/])[A-Za-z][\w.-]*(?:==|@|>=|~=|\^)v?\d+(?:\.\d+)+\b")),
    ("Error", re.compile(
        r"\b(?:SQLSTATE [0-9A-Z]{5}|ERR_[A-Z_]{4,}|E[A-Z]{5,}|ORA-\d{4,5}|E\d{3,5}|TS\d{4}"
        r"|SQLITE_[A-Z]+|[A-Z][A-Za-z]+(?:Error|Exception)|[a-z]+(?:_[a-z]+)+_(?:exceeded"
        r"|error|failed|denied|timeout|invalid|expired|mismatch|not_found|refused)"
        r"|HTTP [45]\d\d)(?=[\s.,;:)\"”]|$)")),
)  # fmt: skip
_SAYS_LITTLE = re.compile(
    r"(?i)^(?:the (?:work|ticket|issue|bug|task|day)|tracked|see|ticket\w*|both|declared|filed"
    r"|opened|closed"
    r"|published|branch|announced|owner|deployed|in the|two days)\b"
)
_PURPOSE_WORDS = 24
_MIN_TELLING_WORDS = 2
MAX_PER_SESSION = 2


@dataclass(frozen=True, slots=True)
class Artifact:
    """One thing to find again, with the sentence that says what it is for."""

    kind: str
    name: str
    content: str


def find_artifacts(
    sentences: list[Sentence], topic: Topic | None, voice: Voice
) -> Iterator[Artifact]:
    """The artifacts a person names with what they are for; none without a stated purpose."""
    for kind, pattern in _PATTERNS:
        for sentence in sentences:
            text = plain(sentence.text)
            for match in pattern.finditer(text):
                content = _describe(kind, match[0], sentence, topic, voice)
                if content:
                    yield Artifact(kind, match[0], content)


def _without(name: str, about: str) -> str:
    """`about` without "see <name>" or ", ticket <name>", cut after the clause that holds it."""
    aside = re.search(
        rf"(?i)(?:,| \() ?(?:see|at|under|ticket|tracked as|cf\.?) {re.escape(name)}\)?", about
    )
    if aside is not None and len(about[: aside.start()].split()) >= 4:
        return about[: aside.start()]
    end = about.find(", and ", about.find(name))
    return about[:end] if end > 0 and len(about[:end].split()) >= 3 else about


def _says_enough(name: str, about: str) -> bool:
    """True when there is more than the name and a word or two."""
    return len(re.findall(r"[^\W\d_]{4,}", about.replace(name, ""))) >= _MIN_TELLING_WORDS


def _describe(kind: str, name: str, sentence: Sentence, topic: Topic | None, voice: Voice) -> str:
    text = plain(sentence.text)
    about = _without(name, tell(text, voice))
    words = len(about.split())
    told = not sentence.asks and stands_alone(text) and 3 <= words <= _PURPOSE_WORDS
    if told and not _SAYS_LITTLE.match(about) and _says_enough(name, about):
        if about.startswith(name):
            return sentence_case(f"{kind} {about}")
        return sentence_case(f"{kind} {name}: {uncapitalised(about)}")
    # A ticket stands for its conversation; a link or a file without a purpose is no memory.
    vague = topic is not None and re.search(r"\b(?:this|what to)\b", topic.told)
    if topic is not None and not vague and (kind == "Ticket" or (kind == "Link" and words < 3)):
        return sentence_case(f"{kind} {name} goes back to this: {voice.subject} {topic.told}")
    return ""
