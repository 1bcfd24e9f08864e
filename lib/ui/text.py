"""Text from memories and models, shown without letting it act on the page."""

import re

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&@^=])")
_REMOTE = re.compile(r"!?\[([^\]]*)\]\(\s*<?([^)>\s]+)[^)]*\)")


def literal(text: str) -> str:
    """Markdown that shows `text` exactly as it stands, on one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def inert(markdown: str) -> str:
    """Model text as Markdown in which nothing loads or navigates: addresses stay readable."""
    pieces = re.split(r"(```.*?(?:```|\Z)|`[^`\n]*`)", markdown, flags=re.DOTALL)
    # Odd pieces are code, which Markdown shows literally anyway.
    return "".join(
        piece if index % 2 else _without_links(piece) for index, piece in enumerate(pieces)
    )


def _without_links(text: str) -> str:
    text = _REMOTE.sub(lambda match: f"{match[1]} ({match[2]})", text)
    text = re.sub(
        r"^\s*\[[^\]]+\]:\s*\S+", lambda match: "\\" + match[0].lstrip(), text, flags=re.M
    )
    text = re.sub(r"[<>&]", lambda match: f"\\{match[0]}", text)
    # Streamlit reads :name[…] as a directive, $…$ as maths, and turns bare addresses into links.
    text = re.sub(r":(?=[a-z-]+\[|material/|[a-z0-9_+-]+:)", "\\:", text)
    return re.sub(r"(?i)\b(https?|ftp)://|\bwww\.|\$", _break_address, text)


def _break_address(match: re.Match[str]) -> str:
    found = match[0]
    return "\\$" if found == "$" else found.replace("://", "\\://").replace("www.", "www\\.")
