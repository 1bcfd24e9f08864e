"""Quotations: self-descriptions, lists and plans in fragments, kept in the person's own words."""

import re
from collections.abc import Iterator, Sequence

from lib.compiling.clauses import is_meant
from lib.compiling.grammar import Voice
from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, DATE
from lib.compiling.sentences import QUOTE_MARK, Sentence, plain, without_quotations
from lib.compiling.topics import tells_of_trouble
from lib.compiling.words import WORDS
from lib.tokens import count_tokens

MAX_TOKENS = 60
_MIN_WORDS = 2
_FRAGMENT_WORDS = 16
_ENOUGH_FACTS = 2
"""Sentences with facts that make a message one in which somebody tells of themselves."""

_MARK = re.compile(
    r"(?i)^(?:(?:hi|hey|hello|so|ok|okay|right|well)[,! ]+)*(?:a |some )?"
    r"(?:intro(?:duction)?|background|bio|context)\b[^.:]{0,50}:"
    r"|\b(?:quick|short|brief|little) (?:intro(?:duction)?|background|bio)\b"
    r"|\babout (?:me|us)\s*[:,–—]|\bshort version\b|\blong story short\b"
    r"|\bmy (?:setup|set-up|stack|gear|kit|situation)\s*[:–—]|\bname['’]s [A-Z]|\bthat['’]s us\b"
    r"|\b(?:things|facts) to keep in mind\b|\b(?:school|uni|work|life|family|job) (?:stuff|things):"
    r"|^(?:so|me|us|stack|setup|set-up|context|right)\s*[:–—] "
)
_HEAD = re.compile(
    r"(?i)^(?:(?:hi|hey|hello|hiya|morning|right|so|ok|okay|well|sure|thanks|again|there"
    r"|good (?:morning|evening|afternoon))\b[\s,!.:–—]*)+"
)
_LABEL = re.compile(r"^[^:\"]{0,80}:\s+(?=\S)")
_ROLE_FIRST = re.compile(
    r"(?i)^(?:(?P<name>(?-i:[A-ZÀ-Þ])[\w'’-]+)(?: here)?,? (?:[–—-] )?)?(?P<age>\d\d, )?(?:an? )?"
    r"(?:ex-|former )?(?:(?!(?:the|my|our|his|her|their|is|was)\b)[\w+#&/'’-]+ ){0,3}?"
    r"(?:dev|developer|engineer|student|teacher|nurse|trainee|writer|designer|analyst|scientist"
    r"|researcher|player|librarian|guy|person|user|founder|manager|freelancer|retiree|baker|chef"
    r"|cook|farmer|musician|singer|doctor|gp|vet|midwife|pilot|driver|trucker|accountant|lawyer"
    r"|architect|consultant|admin|sysadmin|technician|electrician|plumber|carpenter|artist"
    r"|photographer|journalist|editor|translator|therapist|coach|postdoc|lecturer|professor"
    r"|mum|mom|dad|parent|gardener|beekeeper|caterer|potter|luthier|barista|paramedic|pharmacist"
    r"|dentist|bookseller|curator|organist|drummer|guitarist|violinist|cellist|pianist|dj)\b"
    r"(?! (?:error|said|says|told|asked|wants|is|was|has|does|stories|story|accounts?|ids?"
    r"|table)\b)"
)
_SEMESTER = re.compile(r"(?i)^(?:1st|2nd|3rd|\dth|first|second|third|final) (?:semester|year)\b")
_SMALL = re.compile(
    r"(?i)^(?:sorry|thanks|thank you|hello|hi|hey|that['’]s (?:us|me)|nice to meet|looking forward"
    r"|here goes|anyway|that['’]s (?:all|it)|please|can|could|let me|let['’]s|ok|okay|good"
    r"|two things|three things|a few things|one thing|new device|wait|oh|ah|long time|back again"
    r"|it|this|that|these|those|he|she|they|you)\b"
)
_PLANNING = re.compile(
    r"(?i)^(?:(?:moving|flying|submitting|starting|launching|travelling|traveling|finishing|leaving"
    r"|sitting|presenting|defending|handing in|closing|opening|shipping|releasing|retiring"
    r"|getting married|running|taking|off to|on (?:holiday|vacation|leave|call))\b (?!(?:it|this"
    r"|that|from|on|the same)\b)"
    r"|(?:parental|maternity|paternity|sick|annual|study) leave\b|(?:exam|surgery|wedding|viva"
    r"|interview|flight|vacation|holidays?|moving day|due date|baby due)\b )"
)
_PLAIN_TROUBLE = re.compile(r"(?i)(?:nothing|no \w+ (?:yet|still|so far)|still)\b")
_IMAGINED = re.compile(
    r"(?i)\b(?:if (?:i|we|the|it)\b|suppos\w+|imagin\w+|pretend\w*|what if|wish|would|might|could"
    r"|let['’]?s say|hypothe\w+|in theory|say i\b|maybe|perhaps)\b"
)
_FIGURE = re.compile(
    r"(?i),? allergic to (?:anything|everything|all|mondays|meetings|work)\b[^,.;]*"
)
_OURS = re.compile(
    r"(?i)\b(?:my|our|i|we|us|me)\b|^(?:stack|setup|set-up|gear|tools|tech|hardware|software)\b"
)
_NOT_OURS = re.compile(
    r"(?i)\b(?:tried|found|read|heard|seen|saw|error|errors|steps?|options?|questions?|to-?do"
    r"|need to (?:do|buy|fix|decide|choose)|want(?:ed)? to (?:know|ask|buy)|should|could|ideas?"
    r"|pros|cons|problems?|issues?|bugs?|requirements?|logs?|output|code|results?|suggest\w*"
    r"|example|snippet|expected|actual|happens|rank|compare|agenda|homework|assignment"
    r"|got (?:back|this)"
    r"|they|he|she|his|her|their|your|asked|wrote|said|says|sent|from (?:him|her|them))\b"
)
_IN_LINE = re.compile(
    r"(?=.{8,70}?: )((?:[Tt]he |[Mm]y |[Oo]ur )?\w+s\b[^:]*\b(?:I|we)\b[^:]*): (.+, .+)$"
)
_OUR_ENTRY = re.compile(r"(?i)^(?:me|myself|i)\b")


def introductions(
    sentences: Sequence[Sentence], told: Sequence[str], voice: Voice
) -> Iterator[str]:
    """Quotations of what a person says of themselves in fragments, where `told` does not say it.

    `told` are the facts already read from each sentence, joined.
    """
    introduces = any(not s.listed and _MARK.search(s.text) for s in sentences) and not any(
        s.listed for s in sentences
    )
    introduces = introduces or any(
        not s.asks and _describes_a_person(_body(s.text)) for s in sentences[:2]
    )
    silent = not any(s.asks or s.listed or tells_of_trouble(s.text) for s in sentences)
    tells = silent and sum(bool(facts) for facts in told) >= _ENOUGH_FACTS
    for number, (sentence, facts) in enumerate(zip(sentences, told, strict=True)):
        following = sentences[number + 1].text if number + 1 < len(sentences) else ""
        if sentence.asks or _PLAIN_TROUBLE.match(sentence.text):
            continue
        body = _body(sentence.text)
        wanted = (
            (introduces and not _SMALL.match(body))
            or (tells and not facts and _is_fragment(body))
            or (number < 2 and _describes_a_person(body))
            or _is_plan(body)
        )
        meant = wanted and _is_kept(body) and is_meant(sentence.text, following)
        if meant and not _is_told(body, facts):
            yield from _quote(_FIGURE.sub("", body), voice)


def lists(sentences: Sequence[Sentence], voice: Voice) -> Iterator[str]:
    """What a person lists as theirs: "The user listed “my setup”: Fedora 41; Neovim."."""
    number = 0
    while number < len(sentences):
        entries = []
        after = number + 1
        while after < len(sentences) and sentences[after].listed:
            entries.append(plain(sentences[after].text).rstrip(" ."))
            after += 1
        lead = sentences[number]
        if len(entries) >= 2 and not lead.listed:
            yield from _listed(lead, entries, voice)
        elif not lead.listed and not lead.asks and (label := _IN_LINE.match(plain(lead.text))):
            yield from _listed(Sentence(label[1] + ":", asks=False), [label[2]], voice)
        number = max(after, number + 1)


def quoted(text: str, voice: Voice, *, language: str = "") -> str:
    """The sentence that quotes `text`; empty where it would be too long for a memory."""
    inner = text.strip().rstrip(" .,;:").replace('"', "'")
    where = f" (in {language})" if language else ""
    content = f'{voice.subject[0].upper()}{voice.subject[1:]} said{where}: "{inner}".'
    return content if count_tokens(content) <= MAX_TOKENS else ""


def _listed(lead: Sentence, entries: list[str], voice: Voice) -> Iterator[str]:
    head = plain(lead.text).rstrip(" .:")
    ours = _OURS.search(head) or any(_OUR_ENTRY.match(entry) for entry in entries)
    if lead.asks or not ours or _NOT_OURS.search(head) or QUOTE_MARK in without_quotations(head):
        return
    if not is_meant(head, "") or not lead.text.rstrip().endswith((":", "order")):
        return
    entries = [entry for entry in entries if is_meant(entry, "") and "?" not in entry]
    while entries:
        inside = "; ".join(entry.rstrip(" .!") for entry in entries).replace('"', "'")
        subject = voice.subject[0].upper() + voice.subject[1:]
        content = f'{subject} listed under "{head}": {inside}.'
        if count_tokens(content) <= MAX_TOKENS:
            yield content
            return
        entries.pop()


def _quote(body: str, voice: Voice) -> Iterator[str]:
    if content := quoted(body, voice):
        yield content
        return
    half = re.split(r"(?<=[;.]) |, (?=and )| [–—] ", body, maxsplit=1)
    for part in half if len(half) == 2 else ():
        if content := quoted(part, voice):
            yield content


def _body(text: str) -> str:
    body = plain(text)
    label = _LABEL.match(body)
    if label and (_MARK.search(label[0]) or len(label[0].split()) <= 4):
        body = body[label.end() :]
    return _HEAD.sub("", body).strip()


def _is_kept(body: str) -> bool:
    return (
        len(body.split()) >= _MIN_WORDS
        and QUOTE_MARK not in without_quotations(body)
        and "[masked" not in body
        and not _IMAGINED.search(body)
        and not re.search(r"(?i)\b(?:you|your)\b", body)
    )


def _is_fragment(body: str) -> bool:
    """True for a few words about somebody who has just told of themselves."""
    return 3 <= len(body.split()) <= _FRAGMENT_WORDS and not (
        _SMALL.match(body) or re.search(r"(?i)\b(?:it|this|that|they|he|she|them|there)\b", body)
    )


def _describes_a_person(body: str) -> bool:
    parts = [part for part in re.split(r", |\. | [–—] |; ", body) if part]
    if len(parts) < 2:
        return False
    first = _ROLE_FIRST.match(body) or _SEMESTER.match(body)
    if first is None:
        return False
    # "The new guy, …" and "Gerhard the admin said" speak of others.
    if first.groupdict().get("name") and body[first.end("name")] == ",":
        return True
    return not re.match(r"(?i)(?:the|that|this|his|her|my|our|some)\b", body) and any(
        find_tools(part)
        or re.search(CAP, part[:1])
        or part.split()[0].isdigit()
        or re.match(
            r"(?i)(?:learning|working|mostly|retraining|living|i|we|no|two|one|in|at)\b", part
        )
        for part in parts[1:]
    )


def _is_plan(body: str) -> bool:
    return bool(_PLANNING.match(body) and DATE.search(body)) and not re.search(
        r"(?i)\b(?:fails?|errors?|broke|crash\w*)\b", body
    )


def _is_told(body: str, facts: str) -> bool:
    """True when the facts hold nearly all that is said."""
    words = {w for w in re.findall(r"[\w+#]{3,}", body.lower()) if w not in WORDS.ordinary}
    known = facts.lower()
    return sum(word not in known for word in words) <= max(1, len(words) // 4)
