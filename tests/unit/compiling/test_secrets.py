"""Secrets: values disappear, prose about secrets stays."""

import pytest

from lib.compiling.secrets import mask_secrets


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("sk-abcdefghijklmnop1234", "API key"),
        ("AKIAIOSFODNN7EXAMPLE", "API key"),
        ("xoxb-123456789012-abcdefghij", "access token"),
        ("glpat-abcdefghij0123456789", "access token"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh", "access token"),
        ("api_key=Zm9vYmFyMTIz", "API key"),
        ("password: tr0ub4dor&3", "password"),
        ("5500-0000-0000-0004", "card number"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "private key"),
    ],
)
def test_a_secret_is_replaced_by_its_kind(text: str, kind: str) -> None:
    masked = mask_secrets(f"here: {text} ok")
    assert masked.kinds == (kind,)
    assert text.split("=")[-1].split(": ")[-1] not in masked.text


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong.",
        "How long is a token valid?",
        "The token is expired, so refresh it.",
        "Order 4111 1111 1111 1112 is late.",
        "SHA 8199be6f699a395f99f89df973f9dc52",
        "https://example.com/a?b=c",
        "cached_tokens: 2,176",
        "It has 1234567890123 rows.",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_secrets(text).text == text


def test_each_secret_is_counted() -> None:
    assert len(mask_secrets("sk-abcdefghijklmnop1234 and AKIAIOSFODNN7EXAMPLE").kinds) == 2
