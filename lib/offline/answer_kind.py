"""Kinds of answer: what a question expects, and how to recognise it in a sentence."""

import re
from dataclasses import dataclass

from lib.compiling.lexicon import names_of
from lib.offline.words import STOPWORDS, stem

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_NAME = r"[A-ZÀ-Þ][\w-]+(?: [A-ZÀ-Þ][\w-]+){0,2}(?!['’\w])"
_NUMBER = r"\d[\d,]*(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """One kind: `found` finds it in a sentence (group 1 where there is one), `wants` in questions.

    `need` completes "It would take a message that …". A sentence with such an answer need not say
    the `implied` words: where Postgres is named, "database" is not.
    """

    name: str
    wants: re.Pattern[str]
    found: re.Pattern[str]
    need: str
    implied: frozenset[str] = frozenset()


def _kind(name: str, wants: str, found: str, need: str, *, implied: str = "") -> AnswerKind:
    return AnswerKind(
        name,
        re.compile(wants, re.IGNORECASE),
        re.compile(found),
        need,
        frozenset(stem(word) for word in implied.split()),
    )


def _noun(name: str, nouns: str, found: str, *, implied: str = "") -> AnswerKind:
    """A kind asked for by its noun: "which database", "what is my editor"."""
    return _kind(
        name,
        rf"\b(?:which|what)(?:'s| is| are| was)?(?: the| my| our| your| \w+'s)?"
        rf"(?: (?:name|kind|type|sort) of(?: the| my| our)?)?"
        rf"(?: (?!do\b|does\b|did\b|is\b|of\b|for\b|in\b|on\b|the\b)[\w-]+){{0,2}}?"
        rf" (?:{nouns})\b(?! (?:name|number|version|size|format|key|id)\b)",
        found,
        f"names the {name}",
        implied=" ".join([implied, *(noun for noun in nouns.split("|") if " " not in noun)]),
    )


def _any_of(names: str) -> str:
    return rf"(?<![\w-])(?i:{'|'.join(re.escape(name) for name in names.split('|'))})(?![\w-])"


def _names(kind: str) -> str:
    return "|".join(names_of(kind))


_DATABASES = (
    "PostgreSQL|Postgres|CockroachDB|MySQL|MariaDB|SQLite|MongoDB|Redis|DynamoDB|Cassandra|DuckDB"
    "|ClickHouse|Snowflake|BigQuery|Elasticsearch|OpenSearch|SQL Server|Oracle|Neo4j|Qdrant"
    "|Pinecone|Weaviate|Milvus|Chroma|Supabase|Firestore|pgvector|LanceDB|feather-db"
)
_LANGUAGES = (
    "Python|TypeScript|JavaScript|Rust|Golang|Go|Java|Kotlin|Swift|Ruby|PHP|C\\+\\+|C#|Scala|Elixir"
    "|Haskell|Perl|Lua|Dart|Julia|Zig|OCaml|Clojure|SQL|Bash"
)
_FRAMEWORKS = (
    "FastAPI|Django|Flask|Starlette|SvelteKit|Svelte|React|Next.js|Vue|Nuxt|Angular|Rails|Spring"
    "|Express|Laravel|Streamlit|LangChain|LlamaIndex|PyTorch|TensorFlow|Remix|Astro|Phoenix"
)
_MEASURES = (
    "cosine distance|cosine similarity|cosine|inner product|dot product|Euclidean|L2 distance"
)
_EDITORS = (
    "VS Code|VSCode|Visual Studio|Neovim|Vim|Emacs|PyCharm|IntelliJ|WebStorm|Sublime|Zed|Helix|Nano"
    "|Cursor"
)
_CLOUDS = (
    "AWS|Azure|GCP|Google Cloud|Hetzner|DigitalOcean|Fly.io|Heroku|Vercel|Netlify|Cloudflare|OVH"
    "|Linode|Render|Railway|Scaleway"
)
_ROLES = (
    r"(?<!['’]s )(?<!\b[Mm]y )(?<!\b[Oo]ur )"
    r"(?:(?:[\w-]+ )?(?:team|tech|engineering|backend|frontend|product|project) (?:lead|manager)"
    r"|(?:[\w-]+ ){0,2}(?:engineer|developer|designer|founder|architect|analyst|scientist"
    r"|consultant|freelancer|student|teacher|researcher|programmer)|\bCTO|\bCEO|team lead|lead)\b"
)

PERSON = _kind(
    "name",
    r"^(?:\W*who\b(?! (?:am i|are you|(?:is|was) (?-i:[A-Z])))|.*'s name\b"
    r"|.*\bname of (?:my|our|the) (?:\w+ )?"
    r"(?:boss|manager|lead|wife|husband|partner|son|daughter|sister|brother|friend|mother"
    r"|father|dog|cat|colleague|teammate|doctor|landlord|client|customer|assistant)\b)",
    rf"(?:called|named|name is|lead|boss|manager|colleague|partner|wife|husband|sister|brother"
    rf"|friend|dog|cat|by|with|,) ({_NAME})|^({_NAME}) |\b[Oo]wner[^:]{{0,40}}: ({_NAME})",
    "gives the name",
)
PREFERENCE = _kind(
    "preference",
    r"\bhow (?:do|does|did|should|would) \w+ (?:\w+ )?(?:like|prefer|want)\b"
    r"|\b(?:which|what) .*\b(?:do|does) \w+ (?:like|prefer|favou?r)\b"
    r"|\b(?:preferences?|favou?rite)\b|\bwhat (?:do|does) \w+ (?:like|prefer)\b"
    r"|\bhow should (?:you|i|answers?|replies|code|tests?)\b.*\b(?:answer|reply|format|look)",
    r"\b(prefer\w*|likes?|favou?rites?|loves?|rather|please keep|keep (?:answers|replies|it))\b",
    "states the preference",
    implied="like prefer preference want format style write favourite",
)
OWN_NAME = _kind(
    "own name",
    r"\b(?:my (?:full |first )?name\b(?! of)|who am i\b|i(?:'m| am) called)",
    rf"(?:name is|I'm|I am|called|named|goes by) ({_NAME})|^(?:Hi|Hey|Hello)?\W*({_NAME}) here\b"
    rf"|^({_NAME}) (?:is an?|is the|builds|works|lives|prefers|uses)\b",
    "gives your name",
    implied="name call",
)
WHEN = _kind(
    "date",
    r"^\W*(?:when|since when|until when|by when)\b|\b(?:what|which) (?:date|day|weekday|month"
    r"|year|time)\b"
    r"|\bwhat(?:'s| is| was) (?:the|my|our) [\w ]*(?:deadline|date|birthday)\b",
    rf"\b(\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{4}}-\d{{2}}-\d{{2}}"
    rf"|{_WEEKDAY}(?: at \w+)?|\d{{1,2}}:\d{{2}}(?: [A-Z]{{3}})?|{_MONTH}(?: \d{{4}})?"
    r"|(?:last|next|this) (?:week|month|year|weekend|spring|summer|autumn|winter)"
    r"|tomorrow|yesterday|\d+ (?:days|weeks|months|years) ago|(?:two|three) weeks ago)(?!\w)",
    "gives the date",
    implied="date day month year time weekday winter summer spring autumn hour clock",
)
WEEKDAY = _kind(
    "day",
    r"\b(?:what|which) (?:weekday|day of the week)\b",
    rf"\b({_WEEKDAY})\b",
    "gives the day",
    implied="weekday day week",
)
HOME = _kind(
    "place",
    r"\bwhere\b.*\b(?:live|living|lived|reside|based|located|home|from|move|moved|moving|born|grow"
    r"|grew)\b|\b(?:which|what) (?:city|town|country)\b",
    rf"\b(?:in|to|near|from) ({_NAME}|[a-z][a-z0-9]+://\S+)",
    "names the place",
    implied="city town country place",
)
WHERE = _kind(
    "place",
    r"^\W*(?:\w+ ){0,2}where\b|\b(?:which|what) place\b",
    rf"\b(?:in|to|at|near|from|on|into|behind|under) (?:the )?"
    rf"({_NAME}|[a-z][a-z0-9]+://\S+|[\w./-]+/[\w./-]+|(?:locker|room|drawer|box|shelf|cupboard|rack|bay)"
    r" \w+)",
    "names the place",
    implied="city town country place",
)
MONEY = _kind(
    "amount",
    r"\bhow much\b.*\b(?:cost|pay|spend|earn|charge|rent|worth|budget)"
    r"|\b(?:what|which)\b.*\b(?:salary|price|budget|cost|rent|fee)s?\b(?! burn)",
    rf"([$€£₹]\s?{_NUMBER}(?: a \w+| per [\w ]+?)?|{_NUMBER}\s?(?:USD|EUR|dollars|euros|GBP|INR))",
    "gives the amount",
)
PHONE = _kind(
    "phone number",
    r"\b(?:phone|telephone|mobile|fax) number\b|\bnumber to call\b",
    r"(\+?\d[\d ()/-]{6,}\d)",
    "gives the number",
    implied="number",
)
AMOUNT = _kind(
    "number",
    r"\bhow (?:many|much|long|often|big|large|fast|old|far|tall|high|small|slow)\b"
    r"|\b(?:percentage|number of|share of|size of|version)\b",
    rf"(?<![\w@.-])(?!\d+ {_MONTH})({_NUMBER}(?:\s?(?:%|ms|s|min|minutes|hours|days|weeks|GB|MB"
    r"|KB|tokens|times|lines|rows|chunks|threads|people|workers))?"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|daily|weekly)\b)(?![\w@])",
    "gives the number",
)
KINDS = (
    PREFERENCE,
    OWN_NAME,
    MONEY,
    PHONE,
    AMOUNT,
    _noun("database", "database|db|datastore|data store|vector store", _any_of(_DATABASES)),
    _noun("CI system", "ci|ci system|build server", _any_of(_names("ci")), implied="build"),
    _noun(
        "message broker",
        "broker|message broker|queue|message queue|messaging|stream",
        _any_of(_names("queue")),
        implied="message service",
    ),
    _noun(
        "feature flag system",
        "flag system|flags?|flag tool",
        _any_of(_names("feature flags")),
        implied="feature flag system",
    ),
    _noun(
        "data frame library",
        "dataframe library|data library",
        _any_of(_names("data tool")),
        implied="dataframe library",
    ),
    _noun(
        "map library",
        "map library|maps library",
        _any_of(_names("map library")),
        implied="map library",
    ),
    _noun(
        "region",
        "region|availability zone",
        r"\b((?:eu|us|ap|sa|ca|me|af|il)-(?:north|south|east|west|central)[a-z]*-\d)\b",
    ),
    _noun("measure", "measure|metric|distance|similarity", _any_of(_MEASURES)),
    _noun(
        "model",
        "models|model|llm",
        r"\b((?:gpt|o\d|claude|gemini|llama|mistral|qwen|text-embedding|deepseek|phi|gemma|bge"
        r"|all-MiniLM|MiniLM|nomic|e5)(?:[\w.:-]*\w)?)",
    ),
    _noun("ticket", "ticket|issue|story", r"\b([A-Z][A-Z\d]+-\d+|#\d+)\b"),
    _noun("editor", "editor|ide", _any_of(_EDITORS)),
    _noun("cloud provider", "cloud provider|cloud|hosting provider|hoster", _any_of(_CLOUDS)),
    _noun("framework", "framework", _any_of(_FRAMEWORKS), implied="web backend frontend"),
    _noun(
        "language",
        "language",
        rf"(?:\b(?:in|with|use[sd]?|using|writes?|prefers?|likes?|learn\w*|to|from|and|know)\s+)"
        rf"({_any_of(_LANGUAGES)})|({_any_of(_LANGUAGES)})(?=\s+(?:developer|engineer|code|app))",
        implied="programming",
    ),
    _noun(
        "package",
        "package|library|module",
        r"\b(?:install|import|package|library|module|add)\s+`?([\w@][\w./@-]*\w)",
    ),
    _noun(
        "tool",
        "tool|service|system|app|product|platform|vendor",
        rf"\b(?:to|with|in|on|by|used?|uses|using|via|into|through) ({_NAME}|[a-z]+[-_][\w-]+"
        rf"|[a-z]+\.[a-z]{{2,3}})",
    ),
    _kind(
        "company",
        r"\b(?:which|what) (?:company|employer|firm)\b|\bwhere (?:do|does|did|am) \w+ (?:still )?"
        r"(?:work|employed)|\b(?:employer|who (?:do|does|did) \w+ work for)\b"
        r"|name of (?:my|the|our) (?:company|employer)",
        rf"(?:works?|working|worked|employed|job|joined|engineer|developer|lead|designer|analyst"
        rf"|manager|scientist|founder|consultant)\b(?: now)? (?:at|for|with|of) ({_NAME})"
        rf"|\b(?:company|employer) (?:is|called) ({_NAME})",
        "names the company",
        implied="work company employer employed job firm name",
    ),
    _kind(
        "role",
        r"\b(?:my|your|his|her|\w+'s) (?:current |new )?(?:role|job title|job|position|title"
        r"|occupation|profession)\b(?! \w+ (?!days|now))|for a living|\bwhat do(?:es)? \w+ do\W*$",
        rf"({_ROLES})",
        "names the role",
        implied="role job position title occupation profession living",
    ),
    _kind(
        "address",
        r"\b(?:url|link|web ?site|address of|documented|documentation|docs)\b",
        r"(https?://[^\s)>\]\"”]+[^\s)>\]\"”.,;:])",
        "gives the address",
        implied="url link address",
    ),
    _kind(
        "file",
        r"\b(?:which|what) (?:file|script|module|path)\b|where is the (?:code|script|file)",
        r"(?<![\w/.])([\w-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|ts|js|rs|go|toml|json|md|ya?ml|sql))\b",
        "names the file",
        implied="file script module path",
    ),
    WEEKDAY,
    WHEN,
    HOME,
    WHERE,
    PERSON,
)
"""In the order they are tried."""

WHY = re.compile(
    r"^\W*(?:and |but |so )?(?:why|what (?:caused|causes|fixed|solved|helped)"
    r"|what(?:'s| is| was) (?:the )?(?:cause|reason|fix|solution)|should (?:i|we))\b",
    re.I,
)
HOW = re.compile(
    r"^\W*(?:and |but |so )?how\b(?! (?:many|much|long|often|big|large|fast|old|far))", re.I
)
_TECHNICAL = re.compile(f"{_any_of(_DATABASES)}|{_any_of(_FRAMEWORKS)}|{_any_of(_LANGUAGES)}")
_MONTH_OR_DAY = re.compile(rf"^(?:{_MONTH}|{_WEEKDAY})$")


def expected_kind(question: str) -> AnswerKind | None:
    """What kind of answer `question` expects, where its form tells."""
    return next((kind for kind in KINDS if kind.wants.search(question)), None)


def spans(kind: AnswerKind, sentence: str) -> list[str]:
    """Everything in `sentence` that could be an answer of that kind."""
    found = [
        next((group for group in match.groups() if group), match.group())
        for match in kind.found.finditer(sentence)
    ]
    if kind is PERSON:
        return [span for span in found if span.split()[0].casefold() not in STOPWORDS]
    if kind in (HOME, WHERE):
        # "moved to CockroachDB" names no place.
        return [span for span in found if not _is_no_place(span)]
    return found


def _is_no_place(span: str) -> bool:
    return bool(_TECHNICAL.fullmatch(span) or _MONTH_OR_DAY.match(span) or span == "I")
