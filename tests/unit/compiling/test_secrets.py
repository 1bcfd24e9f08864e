"""Secrets: values disappear, prose about secrets stays."""

import pytest

from lib.compiling.secrets import mask_secrets


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("sk-abcdefghijklmnop1234", "abcdefghijklmnop1234", "API key"),
        ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7", "API key"),
        ("xoxb-123456789012-abcdefghij", "abcdefghij", "access token"),
        ("glpat-abcdefghij0123456789", "abcdefghij", "access token"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh", "eyJ", "access token"),
        ("api_key=Zm9vYmFyMTIz", "Zm9v", "API key"),
        ("password: tr0ub4dor&3", "tr0ub4dor", "password"),
        ("5500-0000-0000-0004", "5500", "card number"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "MIIE",
            "private key",
        ),
        ("password is Tr0ub4dor", "Tr0ub4dor", "password"),
        ("DB_PASSWORD=hunter2", "hunter2", "password"),
        ('password="correcthorse"', "correcthorse", "password"),
        ("Authorization: Bearer abcdef123456", "abcdef", "access token"),
        ("curl -u bob:s3cret", "s3cret", "password"),
        ("Server=db;User=sa;Pwd=Sesame12;", "Sesame12", "password"),
        ("postgres://app:hunter22@db/app", "hunter22", "password"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENG", "wJalr", "API key"),
        ("the PIN is 4921", "4921", "password"),
    ],
)
def test_a_secret_is_replaced_by_its_kind(text: str, secret: str, kind: str) -> None:
    masked = mask_secrets(f"here: {text} ok")
    assert masked.kinds == (kind,)
    assert secret not in masked.text


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
        "Order number 4111 1111 1111 1111 has not arrived.",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "password = os.environ['PW']",
        "token = request.headers",
        "password: str",
        "set API_KEY=<your key> first",
        "the access token is 3600s valid",
        "Pin: GPIO14 is the LED.",
        "max_tokens: 4096",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_secrets(text).text == text


def test_each_secret_is_counted() -> None:
    assert len(mask_secrets("sk-abcdefghijklmnop1234 and AKIAIOSFODNN7EXAMPLE").kinds) == 2
