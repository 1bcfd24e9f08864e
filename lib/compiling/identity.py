"""Identity: the name, role, employer and home a person states."""

import re
from collections.abc import Iterator

from lib.compiling.clauses import Clause
from lib.compiling.facts import Fact
from lib.compiling.grammar import TEAM, Voice, sentence_case
from lib.compiling.lexicon import find_tools
from lib.compiling.phrases import CAP, NAME, is_proper, key, trim
from lib.compiling.words import WORDS

_PERSON = rf"{CAP}[\w'’-]+(?: (?:van|von|de|da|der|del|al|bin|ben|O['’])? ?{CAP}[\w'’-]+){{0,2}}"
_NAMED = re.compile(
    rf"^(?i:my (?:first |full )?name is|(?:people|friends|everyone) calls? me"
    rf"|(?:please )?call me|I am called|I go by)(?P<maybe> not)? (?P<name>{_PERSON}"
    rf"|[a-z]\w+|[^\W\d_a-zA-Z]+)(?P<rest>.*)$"
)
_I_AM_NAME = re.compile(rf"^I am (?P<name>{_PERSON})(?P<rest>$|,.*| (?:from|at|with) .*)$")
_NAME_HERE = re.compile(
    rf"^(?:(?:this|it) is (?P<a>{_PERSON})(?: here)?(?: (?:from|at|with) .*|$)"
    rf"|(?P<b>{CAP}[\w'’-]+)(?P<from> from {NAME})? here)(?P<rest>$|,.*)$"
)
_ROLE_HEAD = (
    r"(?:developer|dev|engineer|programmer|designer|manager|lead|leader|founder"
    r"|co-?founder|owner|ceo|cto|cfo|coo|vp|director|head|student|teacher|professor"
    r"|lecturer|researcher|scientist|analyst|architect|consultant|freelancer|contractor"
    r"|admin|administrator|sysadmin|sre|dba|pm|maintainer|intern|doctor"
    r"|physician|nurse|lawyer|accountant|writer|author|editor|translator|journalist"
    r"|technician|tester|specialist|strategist|mathematician|physicist|chemist"
    r"|biologist|statistician|economist|trader|solopreneur|entrepreneur|hobbyist"
    r"|apprentice|trainee|librarian|photographer|musician|artist|pilot|chef|pharmacist"
    r"|radiologist|therapist|psychologist|dentist|vet|veterinarian|paramedic"
    r"|electrician|coach|trainer|mentor|officer|advocate|evangelist|executive|recruiter"
    r"|marketer|product owner|scrum master|devops|ml ops|game dev|electrical engineer"
    r"|phd candidate|postdoc|graduate|undergraduate|retiree|carpenter|farmer|baker)"
)
_ROLE_END = (
    r"(?= (?:at|for|in|with|from|who|that|which|building|working|writing|developing"
    r"|making|creating|based|living|on|since|by)\b|,|$| and )"
)
_ROLE = re.compile(
    rf"^I (?:am|have been|work as|am working as|became|have become|got promoted to"
    rf"|was promoted to) (?:still )?(?P<np>(?:(?:an?|the|our"
    rf"|their) )?(?:[\w+#./&'’-]+ ){{0,4}}?{_ROLE_HEAD}(?: (?:of"
    rf"|for) (?:the )?(?:{NAME}|data|engineering|product|design|platform|infrastructure"
    rf"|research|security|operations|growth|marketing|sales|backend|frontend|mobile"
    rf"|support|AI|ML|IT|QA)(?: [a-z]+)?)?){_ROLE_END}(?P<rest>.*)$",
    re.IGNORECASE,
)
_AS_ROLE = re.compile(
    rf"^As (?P<role>an? (?:[\w+#-]+ ){{0,3}}?{_ROLE_HEAD}),? (?P<rest>I (?!want|can"
    rf"|should|need|would|must|will)\w+ .+)$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"(?i)(?:an?|the|our|head|cto|ceo|cfo|coo|vp|director|co-?founder|founder|lead)\b"
)
_NOT_ROLE = re.compile(
    r"(?i)\b(?:not|no|never|bit|lot|big fan|huge fan|one|same|stuck|looking|trying"
    r"|having|getting|using|your|you|his|her|sure|glad|happy|asked|told|new to|like a"
    r"|afraid|sick)\b|['’]s\b"
)
_ROLE_TAIL = (
    (re.compile(rf"^ (?:at|for|with) (?P<x>{NAME}|an? [^,]+)"), "I work at {x}"),
    (re.compile(rf"^ (?:(?:based|living) )?in (?P<x>{NAME})"), "I live in {x}"),
    (re.compile(rf"^ from (?P<x>{NAME})"), "I am from {x}"),
    (
        re.compile(
            r"(?:^|.* )(?P<x>(?:building|working on|writing|developing|making|creating"
            r"|maintaining) .+)"
        ),
        "I am {x}",
    ),
)
_LEADS = re.compile(
    r"^(?P<who>I) (?P<verb>lead|manage|head|run) (?P<rest>(?:the|a|an|our"
    r"|my) [^,]*\bteams?\b[^,]*)"
)
_WORK_AT = re.compile(
    rf"^I (?:work|am working|am employed|am interning|intern|am freelancing"
    rf"|am consulting|now work)(?: as (?P<role>an? [^,]+?|[^,]+?))? (?:at|for"
    rf"|with) (?P<org>{NAME}|an? [\w -]*?(?:company|startup|start-up|bank|agency|firm"
    rf"|university|school|hospital|consultancy|studio|ngo|nonprofit|charity|lab|shop"
    rf"|fintech|insurer|hospital|ministry|scale-up)\b(?:(?! as )[^,])*)(?P<rest>.*)$"
)
_JOINED = re.compile(
    rf"^I (?:have )?(?:just )?(?:joined|started (?:working )?at|am with"
    rf"|switched jobs to|changed jobs? (?:and work|to work) at"
    rf"|accepted an offer from) (?P<org>{NAME})(?P<rest>.*)$"
)
_LEFT = re.compile(
    rf"^I (?:have )?(?:just )?(?:left|quit|resigned from|no longer work (?:at|for)"
    rf"|do not work (?:at|for)) (?P<org>{NAME})(?: any ?more)?(?:,.*| .*)?$"
)
_WORKS = re.compile(
    r"^I work (?P<how>remotely|from home|part[- ]time|full[- ]time|nights|night shifts"
    r"|freelance|alone|on my own|four days a week|\d+ (?:hours|days) a week)\b"
)
_FIELD = re.compile(
    r"^I (?:work|am working) in "
    r"(?P<field>(?!(?:the|an?|my|our|this|that|parallel|progress|tandem)\b)[a-z][\w /&-]{2,40})$"
)
_LIVE = re.compile(
    rf"^(?:I|we) (?:am |are )?(?:live|living|based|located|reside)(?: here| now)? (?:in"
    rf"|near|outside|just outside) (?P<place>{NAME}(?:, {NAME})?)(?P<rest>.*)$"
)
_LIVE_LOWER = re.compile(r"^I (?:am )?(?:live|living|based) in (?P<place>[a-z]{3,}(?: city)?)$")
_MOVED = re.compile(
    rf"^I (?:have )?(?:moved|relocated)(?: house)?(?: (?:here"
    rf"|back))?(?: from (?P<old>{NAME}))?,? (?:back )?to (?P<place>{NAME}(?:, "
    rf"{NAME})?)(?: from (?P<old2>{NAME}))?(?P<rest>.*)$"
)
_FROM = re.compile(rf"^I (?:am|come) (?:originally )?from (?P<place>{NAME})(?P<rest>.*)$")
_TRANSIENT = re.compile(
    r"(?i)\b(?:today|tonight|this (?:week|morning|afternoon|weekend)|for (?:the|a|two"
    r"|three) (?:weekend|week|days?|conference|holidays?)|on (?:holiday|vacation)"
    r"|visiting|until)\b"
)


def read_name(text: str, _clause: Clause, _voice: Voice) -> Iterator[Fact | str]:
    """A name: "My name is Priya", "I am Alice, an indie developer", "Bob here"."""
    for pattern in (_NAMED, _I_AM_NAME, _NAME_HERE):
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        name = groups.get("name") or groups.get("a") or groups.get("b") or ""
        first = name.split()[0].capitalize()
        if groups.get("maybe") or "/" in text or first in WORDS.not_names or find_tools(name):
            return
        name = name if is_proper(name) else name.capitalize()
        yield Fact(
            f"The user's name is {name}.", "name", slot="name", value=name.lower(), name=name
        )
        rest = (groups.get("from") or "") + (groups.get("rest") or "")
        if re.match(r", (?:an?|the) ", rest):
            yield f"I am {rest[2:]}"
        elif at := re.match(rf",? (?P<joint>from|at|with) (?P<x>{NAME})", rest):
            yield f"I {'am from' if at['joint'] == 'from' else 'work at'} {at['x']}"
        return


def read_role(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A role: "I am a backend engineer at Fernhill Logistics", "I lead the data team"."""
    leads = _LEADS.match(text)
    if leads and not find_tools(leads["rest"]):
        yield Fact(voice.state("I", leads["verb"], trim(leads["rest"])), "role", slot="leads")
        return
    if as_role := _AS_ROLE.match(text):
        yield f"I am {as_role['role']}"
        yield as_role["rest"]
        return
    match = _ROLE.match(text)
    if match is None or _NOT_ROLE.search(match["np"]):
        return
    noun = match["np"] if _TITLE.match(match["np"]) else f"a {match['np']}"
    yield Fact(voice.state("I", "am", noun), "role", slot="role", value=key(noun))
    rest = match["rest"]
    for pattern, clause in _ROLE_TAIL:
        if tail := pattern.match(rest):
            yield clause.format(x=tail["x"])


def read_work(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """An employer: "I work at Lendora as a backend engineer", "I joined Acme", "I left Acme"."""
    if match := _LEFT.match(text):
        content = f"{voice.subject} no longer works at {match['org']}"
        yield Fact(
            sentence_case(content),
            "employer",
            slot="employer",
            replaces=key(match["org"]),
            change=True,
        )
    elif match := _WORK_AT.match(text) or _JOINED.match(text):
        org = match["org"]
        yield Fact(
            voice.state("I", "work", f"at {org}"), "employer", slot="employer", value=key(org)
        )
        role = match.groupdict().get("role")
        if tail := re.search(r"\bas (?P<role>(?:an? |the )?[^,]+)", match["rest"] or ""):
            role = tail["role"]
        if role:
            yield f"I am {role}"
    elif match := _WORKS.match(text):
        yield Fact(voice.state("I", "work", match["how"]), "work", slot="work arrangement")
    elif (match := _FIELD.match(text)) and not find_tools(match["field"]):
        yield Fact(voice.state("I", "work", f"in {match['field']}"), "work", slot="field")


def read_home(text: str, _clause: Clause, voice: Voice) -> Iterator[Fact | str]:
    """A home: "I live in Pune", "I moved from Pune to Bengaluru", "I am from Ghana"."""
    if _TRANSIENT.search(text):
        return
    if match := _MOVED.match(text):
        old = match["old"] or match["old2"]
        # "I moved from Vim to Zed" is no removal.
        if find_tools(match["place"]) or (old and find_tools(old)):
            return
        came = f", having moved from {old}" if old else ""
        content = f"{voice.subject} lives in {match['place']}{came}"
        yield Fact(
            sentence_case(content),
            "home",
            slot="home",
            value=key(match["place"]),
            replaces=key(old or ""),
            change=True,
        )
    elif match := _LIVE.match(text) or _LIVE_LOWER.match(text):
        place = match["place"]
        if place.split()[0] in WORDS.not_places or find_tools(place):
            return
        place = place if is_proper(place) else place.title()
        slot = "region" if voice.name == TEAM else "home"
        yield Fact(voice.state("I", "live", f"in {place}"), "home", slot=slot, value=key(place))
    elif match := _FROM.match(text):
        yield Fact(
            voice.state("I", "come", f"from {match['place']}"),
            "origin",
            slot="origin",
            value=key(match["place"]),
        )
