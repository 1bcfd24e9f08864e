"""People: the team around a person, and the traits they state of themselves."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import SAID_IN_PASSING, Fact
from lib.compiling.grammar import Voice, sentence_case
from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, NAME, is_proper, key, trim

_IS = r" (?:is|are) (?:now |currently )?"
_OWN = re.compile(
    rf"^my (?P<what>birthday|time ?zone|pronouns|native language|mother tongue"
    rf"|first language|email(?: address)?|github (?:handle|username)|handle|job title"
    rf"|title|salary|age|shoe size|blood type){_IS}(?P<value>[^,]+)$",
    re.IGNORECASE,
)
_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|dog|cat|kid|brother"
    r"|sister|mother|father|mom|mum|dad|manager|boss|lead|team lead|tech lead|cto|ceo"
    r"|co-?founder|mentor|supervisor|advisor|product owner|pet)"
)
_KIN_NAMED = re.compile(
    rf"^(?:my|our) (?P<kin>{_KIN})(?:(?:['’]s)? name)? (?:is called|is named"
    rf"|is) (?P<name>{NAME})(?P<rest>$|,.*)$",
    re.IGNORECASE,
)
_KIN_WITH_NAME = re.compile(
    rf"^my (?P<kin>(?i:wife|husband|partner|girlfriend|boyfriend|son|daughter|dog|cat|manager|boss"
    rf"|co-?founder|team lead|brother|sister)) (?P<name>{CAP}[a-zà-ÿ]+) (?:is|has|does|runs"
    rf"|works|lives|and"
    r"|handles|keeps|teaches|plays|loves|helps)\b"
)
_IS_MY = re.compile(
    rf"^(?P<what>{NAME}) is (?:now )?(?:my|our) (?P<role>{_KIN}|editor|landlord|doctor"
    rf"|first language"
    r"|second language|third language|native language|mother tongue|home ?town|employer)$"
)
_KIN_WANTS = re.compile(
    rf"^(?P<who>(?:my|our) (?P<kin>(?:team |tech |engineering )?(?:lead|boss|manager"
    rf"|cto|ceo|client|customer|security team|legal team|compliance team|finance team"
    rf"|auditor|auditors|product owner|company|employer|team|co-?founder|supervisor"
    rf"|advisor|professor))(?: (?:(?:Prof|Dr|Mr|Ms"
    rf"|Mrs)\. )?{CAP}\w+)?) (?P<verb>insists? on|requires?|wants?|demands?|forbids?"
    rf"|does not allow|do not allow|bans?|banned|prohibits?|only allows?|mandates?"
    rf"|expects?) (?P<rest>.+)$",
    re.IGNORECASE,
)
_PRONOUNS = re.compile(
    r"(?i)^I (?:go by|use) (?P<what>(?:he|she|they|xe|ze)/\w+(?:/\w+)?)(?: pronouns)?\W*$"
)
_AGE = re.compile(r"^I am (?P<age>\d{1,2})(?: years old)?$")
_TEAM = re.compile(
    r"^(?:we are (?P<a>(?:an? )?(?:small |remote "
    r"|distributed )?(?:team of \w+(?: (?:people|engineers|developers|devs))?"
    r"|\w+ (?:people|engineers|developers|devs)))|(?:my|our) team (?:has|is|of"
    r"|consists of) (?P<b>[^,]*\b(?:people|engineers|developers|devs|members|person"
    r"|strong|\d+|of (?:two|three|four|five|six|seven|eight|nine|ten|twelve))\b[^,]*)"
    r"|there are (?P<c>\w+) of us)",
    re.IGNORECASE,
)
_TRAIT = re.compile(
    r"^I am (?P<trait>(?:an? )?(?:vegan|vegetarian|pescatarian|left-handed"
    r"|colou?r[- ]?blind|dyslexic|deaf|blind|hard of hearing|lactose intolerant"
    r"|pregnant|retired|self-taught|self-employed|native (?:\w+ )?speaker(?: of \w+)?"
    r"|beginner (?:in|with|at) [^,]+|new to [^,]+|allergic to [^,]+))$",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    rf"^I speak (?P<what>(?:fluent |some |a little |native )?{CAP}\w+(?:(?:,| and|, and"
    rf"| or) (?:some |a little )?{CAP}\w+)*)(?P<rest>.*)$"
)
_LEARNS = re.compile(
    rf"^I am (?:learning|studying|teaching myself) (?P<what>{NAME}(?: and {NAME})?"
    rf"|(?:computer science|mathematics|maths|physics|medicine|law|biology|data science"
    rf"|machine learning)[^,]*)"
)
_HAS = re.compile(
    r"^I have (?P<what>(?:an?|two|three|four|five|no|\d+) (?:[\w-]+ ){0,3}?(?:dogs?"
    r"|cats?|kids?|child|children|daughters?|sons?|macbook(?: (?:air|pro))?|laptop"
    r"|gpus?|rtx \d+|degree in [^,]+|phd(?: in [^,]+)?"
    r"|years of experience[^,]*))(?P<rest>$|,.*| (?:named|called) .*)$",
    re.IGNORECASE,
)
_DIET = re.compile(r"(?i)(?:an? )?(?:vegan|vegetarian|pescatarian)")
_COUNTED = re.compile(
    r"(?i)(?:an?|no|one|two|three|four|five|six|\d+) (?:kids?|child|children|dogs?|cats?|daughters?"
    r"|sons?)"
)
_HEADS = re.compile(r"(?:people|engineers|developers|devs|members|person|strong)\b")


def read_people(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """People around: "my manager is Dana", "my lead insists on …", "we are a team of nine"."""
    if match := _IS_MY.match(text):
        yield f"my {match['role']} is {match['what']}"
    elif match := _KIN_NAMED.match(text) or _KIN_WITH_NAME.match(text):
        kin, name = match["kin"].lower(), match["name"]
        if is_proper(name) and not find_tools(name):
            yield Fact(
                sentence_case(f"{voice.possessive} {kin} is called {name}"),
                "people",
                slot=f"people:{kin}",
                value=key(name),
            )
    elif match := _KIN_WANTS.match(text):
        wish = trim(match["rest"])
        if wish and not re.match(r"(?:me|us|you|him|her|it|this|that|more|to know)\b", wish):
            yield Fact(
                sentence_case(voice.tell(f"{match['who']} {match['verb']} {wish}")), "constraint"
            )
    elif match := _TEAM.match(text):
        size = match["a"] or match["b"] or match["c"]
        size = re.sub(r"(?i)^(?:an? )?(?:small |remote |distributed )?(?:team )?(?:of )?", "", size)
        people = size if _HEADS.search(size) else f"{size} people"
        yield Fact(sentence_case(f"{voice.possessive} team has {people}"), "team", slot="team size")


def read_traits(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """Traits: "I am vegan", "I speak Portuguese", "my pronouns are they/them"."""
    if match := _PRONOUNS.match(text):
        yield Fact(
            sentence_case(f"{voice.possessive} pronouns are {match['what']}"),
            "trait",
            slot="pronouns",
            value=key(match["what"]),
        )
    elif match := _AGE.match(text):
        yield Fact(voice.state("I", "am", f"{match['age']} years old"), "trait", slot="age")
    elif match := _TRAIT.match(text):
        trait = trim(match["trait"])
        diet = "diet" if _DIET.fullmatch(trait) else None
        yield Fact(voice.state("I", "am", trait), "trait", slot=diet, value=key(trait))
    elif match := _SPEAKS.match(text):
        yield Fact(voice.state("I", "speak", match["what"]), "trait")
    elif match := _LEARNS.match(text):
        yield Fact(
            voice.state("I", "am", f"learning {trim(match['what'])}"),
            "trait",
            confidence=SAID_IN_PASSING,
        )
    elif (match := _HAS.match(text)) and (what := trim(match["what"])):
        noun = what.split()[-1].lower()
        slot = f"has:{noun.rstrip('s')}" if _COUNTED.fullmatch(what) else None
        yield Fact(voice.state("I", "have", what), "trait", slot=slot, value=key(what))
    else:
        yield from _own(text, voice)


def _own(text: str, voice: Voice) -> Iterator[Fact]:
    match = _OWN.match(text)
    if match and not match["value"].startswith(("not ", "wrong", "[masked")):
        what = match["what"].lower()
        verb = "are" if what == "pronouns" else "is"
        yield Fact(
            sentence_case(f"{voice.possessive} {what} {verb} {match['value']}"),
            "trait",
            slot=key(what),
            value=key(match["value"]),
        )
