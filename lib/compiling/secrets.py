"""Secrets in text: keys, tokens, passwords and card numbers, found and masked."""

import re
from collections.abc import Callable
from dataclasses import dataclass

MASK = "[masked "
"""How every replacement begins."""

_SHAPES = (
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|\Z)"),
    ("API key", r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}"),
    ("API key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}"),
    ("access token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"),
    ("access token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}"),
    ("access token", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"),
)
_SHAPED = re.compile("|".join(f"(?P<s{i}>{shape})" for i, (_, shape) in enumerate(_SHAPES)))
_TRIGGER = re.compile(
    r"-----BEGIN|[sprk]k[-_]|AKIA|ASIA|AIza|gh[pousr]_|github_pat|glpat-|xox[abeoprs]-|hf_|eyJ"
)
_URL_PASSWORD = re.compile(r"(?<=://)([^\s:/@]+):([^\s/@]{3,})(?=@)")
# "password is hunter2", "API_KEY=…": the word after it, unless it is prose ("the token is valid").
_NAMED = re.compile(
    r"(?i)\b(?P<what>passwords?|passwd|pwd|passphrase|pin|secret|api[ _-]?key|access[ _-]?key"
    r"|(?:auth|access|bearer|api|bot)?[ _-]?token)"
    r"(?P<glue>\s*(?:=|:|\bis\b)\s*[\"'`]?)(?P<value>[^\s\"'`,;]{4,}?)(?=[\"'`,;]|\.?(?:\s|$))"
)
_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]*\d)")


@dataclass(frozen=True, slots=True)
class MaskedText:
    """Text with every secret replaced, and what kinds they were, in order of appearance."""

    text: str
    kinds: tuple[str, ...] = ()


def mask_secrets(text: str) -> MaskedText:
    """`text` with secrets as `[masked …]`; the value itself appears nowhere in the result."""
    found: list[str] = []

    def replace_with(kind: str) -> str:
        found.append(kind)
        return f"{MASK}{kind}]"

    if _TRIGGER.search(text):
        text = _SHAPED.sub(lambda m: replace_with(_SHAPES[int((m.lastgroup or "s0")[1:])][0]), text)
    if "://" in text and "@" in text:
        text = _URL_PASSWORD.sub(lambda m: f"{m[1]}:{replace_with('password')}", text)
    text = _NAMED.sub(lambda m: _mask_named(m, replace_with), text)
    text = _CARD.sub(lambda m: replace_with("card number") if _luhn(m[0]) else m[0], text)
    return MaskedText(text, tuple(found))


def _mask_named(match: re.Match[str], replace_with: Callable[[str], str]) -> str:
    value = match["value"]
    strong = (
        any(c.isdigit() for c in value) or re.search(r"[^\w.]|_", value) or "=" in match["glue"]
    )
    if not strong or value.startswith((MASK, "http", "/")):
        return match[0]
    what = match["what"].lower()
    kind = "password" if what.startswith(("pass", "pwd", "pin")) else "access token"
    kind = "API key" if "key" in what else "secret" if what == "secret" else kind
    return f"{match['what']}{match['glue']}{replace_with(kind)}"


def _luhn(number: str) -> bool:
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
