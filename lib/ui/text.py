"""Text from memories and models, shown without letting it act on the page."""

import re
from collections.abc import Callable, Iterator, Sequence

# Streamlit replaces these in finished text, where a backslash no longer helps; an invisible joiner
# after the first character does.
_JOINER = "\u2060"
_ICON = re.compile(r":(?=material/|streamlit:)")
_TYPOGRAPHIC = re.compile(r"(?<!\S)(?:<->|<-|->|--|>=|<=|~=)(?!\S)")

# Bare addresses become links after parsing as well, unless they are code.
_ADDRESS = re.compile(
    r"(?i)\b(?:https?|ftp)://[^\s<>`|\\\ue000]+|\bwww\.\w[^\s<>`|\\\ue000]*"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
)
_ADDRESS_TAIL = "*_~.,;:!?)]}'\"-"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@^=])")
_FENCE = re.compile(r"( *)(`{3,}|~{3,})(.*)")
# Runs of blanks are taken whole (`+` after a quantifier): giving them back one by one would take
# minutes for a line of 50,000 blanks.
_TABLE_RULE = re.compile(r"[\s>]*+(?=.*[|:])\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")
_LINK = re.compile(
    r"!?\[((?:\\.|[^\[\]\\])*+)\]\(\s*+<?([^()\s<>]*+(?:\([^()\s<>]*+\)[^()\s<>]*+)*+)>?"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'))?\s*+\)"
)
_NESTED_LINKS = 4
"""Links are shown tidily this deep inside each other, deeper ones as they were written."""
_CODE = re.compile(r"\\.|(`++)(.+?)(?<!`)\1(?!`)|`++")
_ACTIVE = re.compile(r"(\\[!-/:-@\[-`{-~])|[<&$\[\]:]")
_DRAWN_LANGUAGES = {"mermaid", "math"}


def literal(text: str) -> str:
    """Markdown that shows `text` exactly as it stands, on one line."""
    flat = " ".join(text.split())
    flat = _TYPOGRAPHIC.sub(lambda found: found[0][0] + _JOINER + found[0][1:], flat)
    flat = _ICON.sub(":" + _JOINER, flat)
    return _each_address(
        flat,
        plain=lambda part: _MARKDOWN.sub(r"\\\1", part),
        address=lambda address: f"`{address}`",
    )


def joined(parts: Sequence[str]) -> str:
    """Figures on one line, broken between two of them only."""
    return "\u00a0· ".join(part.replace(" ", "\u00a0") for part in parts)


def inert(markdown: str) -> str:
    """Model text as Markdown in which nothing loads or navigates.

    Headings, lists, tables, emphasis and code keep their form; addresses stay readable as code;
    HTML, maths, icons and Streamlit's own directives are shown as they were written.
    """
    # Private characters mark finished code below, so the text may not bring its own.
    text = re.sub(r"[\ue000-\uf8ff]", "\ufffd", markdown.replace("\r\n", "\n"))
    return "\n".join(_inert_lines(text.split("\n")))


def file_name(subject_id: str) -> str:
    """A subject id as part of a file name: letters, digits, `-` and `_`, at most 60."""
    return "".join(each if each.isalnum() or each in "-_" else "_" for each in subject_id)[:60]


def _inert_lines(lines: list[str]) -> Iterator[str]:
    closing: re.Pattern[str] | None = None
    indent = 0
    in_table = False
    for index, line in enumerate(lines):
        if closing is not None:
            line = line[min(indent, len(line) - len(line.lstrip(" "))) :]
            yield line
            closing = None if closing.fullmatch(line) else closing
            continue
        fence = _FENCE.fullmatch(line)
        if fence and not (fence[2][0] == "`" and "`" in fence[3]):
            # Every fence moves to column 0: inside a list or quote, the end of that would end it
            # without a closing line, and what follows would be live.
            indent = len(fence[1])
            closing = re.compile(f" {{0,3}}{fence[2][0]}{{{len(fence[2])},}} *")
            yield fence[2] + _language(fence[3])
            continue
        below = lines[index + 1] if index + 1 < len(lines) else ""
        is_rule = _TABLE_RULE.fullmatch(line) is not None
        in_table = bool(line.strip()) and (in_table or bool(_TABLE_RULE.fullmatch(below)))
        yield line if is_rule else _inert_line(line, in_table=in_table)


def _language(info: str) -> str:
    word = re.match(r"\s*([\w+#.-]*)", info)
    name = word[1] if word else ""
    return "text" if name.lower() in _DRAWN_LANGUAGES else name


def _inert_line(line: str, *, in_table: bool) -> str:
    kept: list[str] = []

    def keep(code: str) -> str:
        # A table splits its cells before it looks for code.
        kept.append(re.sub(r"(?<!\\)\|", r"\\|", code) if in_table else code)
        return f"\ue000{len(kept) - 1}\ue001"

    def keep_span(found: re.Match[str]) -> str:
        if found[0].startswith("\\"):
            return found[0]
        # An unpaired run would pair with one on a later line.
        return keep(found[0]) if found[1] else "\\`" * len(found[0])

    def unlink(found: re.Match[str]) -> str:
        label, target = found[1].strip(), found[2]
        shown = keep(f"`{target}`") if target and "\ue000" not in target else target
        return f"{label} ({shown})" if label and shown and label != target else label or shown

    text = _CODE.sub(keep_span, line)
    text = re.sub(r"\\([:/@])", r"\1", text)
    for _ in range(_NESTED_LINKS):
        text = _LINK.sub(unlink, text)
    text = _each_address(text, plain=str, address=lambda address: keep(f"`{address}`"))
    text = _ICON.sub(":" + _JOINER, text)
    text = _ACTIVE.sub(lambda found: found[1] or f"\\{found[0]}", text)
    # Code spans that touch would read as one run of backticks.
    text = text.replace("\ue001\ue000", "\ue001 \ue000")
    return re.sub("\ue000(\\d+)\ue001", lambda found: kept[int(found[1])], text)


def _each_address(text: str, *, plain: Callable[[str], str], address: Callable[[str], str]) -> str:
    parts: list[str] = []
    end = 0
    for found in _ADDRESS.finditer(text):
        bare = found[0].rstrip(_ADDRESS_TAIL)
        parts += [plain(text[end : found.start()]), address(bare)]
        end = found.start() + len(bare)
    return "".join([*parts, plain(text[end:])])
