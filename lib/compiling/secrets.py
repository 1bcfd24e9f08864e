"""Secrets in text: keys, tokens, passwords and card numbers, found and masked."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

MASK = "[masked "
"""How every replacement begins."""

_SHAPES = (
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|\Z)"),
    ("API key", r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9_-]{16,}"),
    ("API key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}"),
    ("API key", r"\bSG\.[\w-]{16,}\.[\w-]{16,}|\bwhsec_[A-Za-z0-9]{16,}|\bre_[A-Za-z0-9_]{20,}"),
    ("access token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"),
    ("access token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}"),
    ("access token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\bya29\.[\w-]{20,}"),
    ("access token", r"\bdop_v1_[a-f0-9]{40,}|\b\d{8,10}:AA[\w-]{30,}"),
    ("access token", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"),
    ("web hook", r"https://hooks\.slack\.com/services/[\w/]{20,}"),
    ("web hook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
)
_SHAPED = re.compile("|".join(f"(?P<s{i}>{shape})" for i, (_, shape) in enumerate(_SHAPES)))
_TRIGGER = re.compile(
    r"-----BEGIN|[sprk]k[-_]|AKIA|ASIA|AIza|gh[pousr]_|github_pat|glpat-|xox[abeoprs]-|hf_|eyJ|SG\."
    r"|whsec_|re_|npm_|pypi-|ya29|dop_v1|:AA|hooks\.slack|webhooks"
)
_URL_PASSWORD = re.compile(r"(?<=://)([^\s:/@]*):([^\s/@]{3,})(?=@)")
_LOGIN = re.compile(
    r"(?P<lead>(?:^|\s)(?:-u|--user|--proxy-user)[ =]?[\"']?[\w.@-]+:)(?P<value>[^\s\"']{3,})"
)
_HEADER = re.compile(
    r"(?i)(?P<lead>\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|apikey)\s+|\bx-api-key\s*:\s*)"
    r"(?P<value>[\w.~+/=-]{8,})"
)
_CONNECTION = re.compile(
    r"(?i)(?P<lead>\b(?:pwd|password|accountkey|sharedaccesskey|clientsecret)=)(?P<value>[^\s;\"'&]{4,})(?=[;&])"
)
# "password is hunter2", "API_KEY=…": the word after it, unless it is prose ("the token is valid").
_NAMED = re.compile(
    r"(?i)(?:\b|_)(?P<what>passwords?|passwort|contraseña|senha|mot de passe|passwd|pwd"
    r"|passphrase|pass"
    r"|pin(?: code)?|secret(?:[ _-]?(?:access[ _-]?)?key)?|api[ _-]?key|access[ _-]?key"
    r"|private[ _-]?key"
    r"|(?:auth|access|bearer|api|bot|refresh|session)?[ _-]?token)"
    r"(?P<glue>[\"']?\s*(?:=|:|\bis\b|\bist\b|\bes\b|\bé\b|\best\b|\bwas\b)\s*[\"'`]?)"
    r"(?P<value>[^\s\"'`,;]{4,}?)(?=[\"'`,;]|[.!?]*(?:\s|$))"
)
_PLACEHOLDER = re.compile(
    r"(?i)[<\[({$%]|\*{3}|x{4,}|\.{3}|your[-_]|my[-_]|changeme|example|none\b|null\b|true\b|false\b|str\b"
    r"|(?:os|process|self|config|settings|request|env)[.\[]|\d+(?:[smhd]|ms|kb|mb|%)?$|https?:|/"
)
_CARD = re.compile(r"(?<![\d.])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\d.]*\d)")
_NOT_A_CARD = re.compile(
    r"(?i)\b(?:order|invoice|tracking|parcel|imei|serial|isbn|ean|reference|ref|ticket|booking|shipment"
    r"|iban|tax|vat|phone|tel|account|customer|member\w*|case|build|request|trace|id)\b"
    r"(?: (?:number|no|id|nr|code))?\.?\s*(?:is|:|#|=)?\s*#?$"
)


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
    if ":" in text or "=" in text:
        for pattern, kind in (
            (_HEADER, "access token"),
            (_LOGIN, "password"),
            (_CONNECTION, "password"),
        ):
            text = pattern.sub(partial(_mask_value, kind=kind, replace_with=replace_with), text)
    text = _NAMED.sub(lambda m: _mask_named(m, replace_with), text)
    text = _CARD.sub(lambda m: replace_with("card number") if _is_card(m) else m[0], text)
    return MaskedText(text, tuple(found))


def _mask_value(match: re.Match[str], *, kind: str, replace_with: Callable[[str], str]) -> str:
    if match["value"].startswith(MASK) or _PLACEHOLDER.match(match["value"]):
        return match[0]
    return match["lead"] + replace_with(kind)


def _mask_named(match: re.Match[str], replace_with: Callable[[str], str]) -> str:
    value, what = match["value"], match["what"].lower()
    placeholder = _PLACEHOLDER.match(value) and not what.startswith("pin")
    if value.startswith(MASK) or placeholder or not _looks_secret(match):
        return match[0]
    kind = "password" if what.startswith(_PASSWORDS) else "access token"
    kind = "API key" if "key" in what else "secret" if what == "secret" else kind
    return match[0][: match.start("what") - match.start()] + (
        f"{match['what']}{match['glue']}{replace_with(kind)}"
    )


_PASSWORDS = ("pass", "pwd", "pin", "contra", "senha", "mot")


def _looks_secret(match: re.Match[str]) -> bool:
    """True for a value with digits or signs, or one that is assigned as a quoted literal."""
    value, what = match["value"], match["what"].lower()
    if what.startswith("pin"):
        return re.fullmatch(r"\d{4,8}", value) is not None
    if re.fullmatch(r"[a-z_]+(?:\.[a-z_]+)*(?:\(.*)?", value):
        # An identifier in code, or a word of prose; a literal only where it is quoted after "=".
        return "=" in match["glue"] and match["glue"].rstrip()[-1] in "\"'`"
    return (
        any(c.isdigit() for c in value)
        or re.search(r"[^\w.]", value) is not None
        or ("=" in match["glue"])
    )


def _is_card(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 40) : match.start()]
    return _luhn(match[0]) and not _NOT_A_CARD.search(before)


def _luhn(number: str) -> bool:
    digits = [int(char) for char in number if char.isdigit()]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
