"""Settings: one reader, one sentence per wrong value, secrets never shown."""

from pathlib import Path

import pytest

from lib.errors import SettingsError
from lib.settings import Settings, load_settings

VARIABLES = [name.upper() for name in Settings.model_fields]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_nothing_set_gives_the_embedded_engine_and_no_model() -> None:
    settings = load_settings()
    assert settings.runtime == "embedded"
    assert settings.llm_api_key is None
    assert settings.statewave_max_tokens == 800
    assert settings.compile_every == 1


def test_a_server_url_chooses_the_server_and_turns_automatic_compiling_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STATEWAVE_BASE_URL", "http://127.0.0.1:8100/")
    settings = load_settings()
    assert settings.runtime == "statewave"
    assert settings.statewave_base_url == "http://127.0.0.1:8100"
    assert settings.compile_every == 0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("STATEWAVE_MAX_TOKENS", "many", "whole number from 1 to 128,000"),
        ("STATEWAVE_MAX_TOKENS", "0", "whole number from 1 to 128,000"),
        ("STATEWAVE_MAX_TOKENS", "999999", "whole number from 1 to 128,000"),
        ("STATEWAVE_COMPILE_EVERY", "-1", "whole number from 0 to 1,000"),
        ("STATEWAVE_RUNTIME", "redis", "'embedded' or 'statewave'"),
        ("STATEWAVE_COMPILER", "magic", "'offline' or 'llm'"),
        ("LOG_LEVEL", "loud", "'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
        ("STATEWAVE_BASE_URL", "localhost:8100", "http://"),
        ("LLM_BASE_URL", "ftp://x", "http://"),
        ("STATEWAVE_MAX_TOKENS", "²", "whole number from 1 to 128,000"),
        ("STATEWAVE_MAX_TOKENS", "--5", "whole number from 1 to 128,000"),
        ("STATEWAVE_MAX_TOKENS", "9" * 5000, "whole number from 1 to 128,000"),
        ("STATEWAVE_BASE_URL", "http://", "a whole address"),
        ("STATEWAVE_BASE_URL", "http://127.0.0.1:99999", "a whole address"),
        ("STATEWAVE_BASE_URL", "http://127.0.0.1:port", "a whole address"),
        ("LLM_BASE_URL", "http://[::1", "a whole address"),
        ("LLM_API_KEY", "sk-ключ", "printable ASCII"),
        ("STATEWAVE_API_KEY", "two\nlines", "printable ASCII"),
        ("STATEWAVE_TENANT_ID", "zoë", "printable ASCII"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_the_variable_and_the_range(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    message = str(caught.value)
    assert message.startswith(name)
    assert said in message
    assert message.count(". ") == 0


def test_the_server_runtime_needs_a_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATEWAVE_RUNTIME", "statewave")
    with pytest.raises(SettingsError, match="STATEWAVE_BASE_URL must be set"):
        load_settings()


def test_the_model_compiler_needs_a_model_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATEWAVE_COMPILER", "llm")
    with pytest.raises(SettingsError, match="LLM_API_KEY or LLM_BASE_URL must be set") as caught:
        load_settings()
    assert str(caught.value).count(". ") == 0
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:11434/v1")
    assert load_settings().statewave_compiler == "llm"
    monkeypatch.delenv("LLM_BASE_URL")
    monkeypatch.setenv("STATEWAVE_BASE_URL", "http://127.0.0.1:8100")
    assert load_settings().runtime == "statewave"


def test_an_empty_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "")
    monkeypatch.setenv("STATEWAVE_COMPILE_EVERY", "")
    settings = load_settings()
    assert settings.llm_api_key is None
    assert settings.compile_every == 1


def test_keys_are_in_no_repr_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "sk-planted")
    monkeypatch.setenv("STATEWAVE_API_KEY", "sw-planted")
    assert "planted" not in repr(load_settings())
    monkeypatch.setenv("STATEWAVE_MAX_TOKENS", "sk-planted")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "planted" not in str(caught.value)


def test_dot_env_and_secrets_are_read_after_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("OPENAI_MODEL=from-dotenv\nLOG_LEVEL=ERROR\n")
    (tmp_path / "secrets.toml").write_text(
        'openai_model = "from-secrets"\nLLM_API_KEY = "sk-from-secrets"\n'
    )
    monkeypatch.setenv("LOG_LEVEL", "debug")
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setitem(Settings.model_config, "toml_file", tmp_path / "secrets.toml")
    settings = load_settings()
    assert settings.openai_model == "from-dotenv"
    assert settings.log_level == "DEBUG"
    assert settings.llm_api_key is not None
    assert settings.llm_api_key.get_secret_value() == "sk-from-secrets"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("secrets.toml", b"LLM_API_KEY = = 'planted'", "secrets.toml is not valid TOML"),
        ("secrets.toml", b"LLM_API_KEY = '\xff'", "UTF-8"),
        (".env", b"LLM_API_KEY=\xff\xfe", "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setitem(Settings.model_config, "toml_file", tmp_path / "secrets.toml")
    with pytest.raises(SettingsError, match=said) as caught:
        load_settings()
    assert "planted" not in str(caught.value)


def test_the_example_file_documents_every_setting() -> None:
    root = Path(__file__).resolve().parents[2]
    lines = (root / ".env.example").read_text(encoding="utf-8").splitlines()
    named = [line.partition("=")[0] for line in lines if line and not line.startswith("#")]
    assert sorted(named) == sorted(VARIABLES)


def test_blanks_around_a_value_do_not_belong_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", " sk-1\n")
    monkeypatch.setenv("STATEWAVE_API_KEY", " ")
    monkeypatch.setenv("STATEWAVE_BASE_URL", " http://127.0.0.1:8100 ")
    settings = load_settings()
    assert settings.llm_api_key is not None
    assert settings.llm_api_key.get_secret_value() == "sk-1"
    assert settings.statewave_api_key is None
    assert settings.statewave_base_url == "http://127.0.0.1:8100"
