"""The only reader of the environment, `.env` and secrets; everything else gets values."""

import os
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from lib.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent
RuntimeName = Literal["embedded", "statewave"]


def _whole_number(low: int, high: int) -> BeforeValidator:
    """Accepts a whole number in the range; the error says the range, not the value."""

    def check(value: object) -> int | None:
        if value is None:
            return None
        text = str(value).strip()
        if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise ValueError(f"it must be a whole number from {low:,} to {high:,}")
        return int(text)

    return BeforeValidator(check)


class Settings(BaseSettings):
    """Frozen configuration. Order: environment, then `.env`, then `.streamlit/secrets.toml`."""

    model_config = SettingsConfigDict(
        env_file=ROOT / ".env",
        toml_file=ROOT / ".streamlit" / "secrets.toml",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    llm_api_key: SecretStr | None = None
    llm_base_url: str | None = None
    openai_model: str = "gpt-4o-mini"
    statewave_runtime: RuntimeName | None = None
    statewave_base_url: str | None = None
    statewave_api_key: SecretStr | None = None
    statewave_tenant_id: str | None = None
    statewave_max_tokens: Annotated[int, _whole_number(1, 128_000)] = 800
    statewave_data_dir: Path = ROOT / ".data"
    statewave_compile_every: Annotated[int | None, _whole_number(0, 1000)] = None
    statewave_compiler: Literal["offline", "llm"] = "offline"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @field_validator("llm_base_url", "statewave_base_url")
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if not value or not value.strip():
            return None
        text = value.strip()
        if not text.startswith(("http://", "https://")):
            raise ValueError("it must start with http:// or https://")
        if not _is_address(text):
            raise ValueError("it must be a whole address such as http://127.0.0.1:8100")
        return text.rstrip("/")

    @field_validator("llm_api_key", "statewave_api_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        text = value.get_secret_value().strip() if value else ""
        if not (text.isascii() and text.isprintable()):
            raise ValueError("it may only hold printable ASCII characters")
        return SecretStr(text) if text else None

    @field_validator("statewave_tenant_id")
    @classmethod
    def _tenant_fits_a_header(cls, value: str | None) -> str | None:
        text = (value or "").strip()
        if not (text.isascii() and text.isprintable()):
            raise ValueError("it may only hold printable ASCII characters")
        return text or None

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _server_has_url(self) -> Self:
        if self.statewave_runtime == "statewave" and not self.statewave_base_url:
            raise ValueError(
                "STATEWAVE_RUNTIME is 'statewave', so STATEWAVE_BASE_URL must be set as well, "
                "for example http://127.0.0.1:8100"
            )
        return self

    @model_validator(mode="after")
    def _compiler_has_a_model(self) -> Self:
        wanted = self.statewave_compiler == "llm" and self.runtime == "embedded"
        if wanted and not (self.llm_api_key or self.llm_base_url):
            raise ValueError(
                "STATEWAVE_COMPILER is 'llm', so LLM_API_KEY or LLM_BASE_URL must be set as well; "
                "'offline' needs neither"
            )
        return self

    @property
    def runtime(self) -> RuntimeName:
        """The chosen runtime: a server when its URL is set, else the embedded engine."""
        return self.statewave_runtime or ("statewave" if self.statewave_base_url else "embedded")

    @property
    def compile_every(self) -> int:
        """Turns between automatic compiles; 0 is off. 1 on the embedded engine, off on a server."""
        if self.statewave_compile_every is not None:
            return self.statewave_compile_every
        return 1 if self.runtime == "embedded" else 0

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Adds `secrets.toml` after the environment; container secret files are not used."""
        return (
            init_settings,
            env_settings,
            dotenv_settings,
            TomlConfigSettingsSource(settings_cls),
        )


def load_settings() -> Settings:
    """The settings of this process. Raises SettingsError with one sentence per wrong value."""
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(" ".join(_sentence(part) for part in error.errors())) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f".streamlit/secrets.toml is not valid TOML: {error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError("Save .env and .streamlit/secrets.toml as UTF-8 text.") from error
    except OSError as error:
        raise SettingsError(f"{error.filename} cannot be read: {error.strerror}.") from error


def secret_variable(name: str) -> SecretStr | None:
    """The environment variable `name` without surrounding spaces, or None when it is empty."""
    value = os.environ.get(name, "").strip()
    return SecretStr(value) if value else None


@cache
def settings() -> Settings:
    """`load_settings`, read once."""
    return load_settings()


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # Reading the port checks its range.
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _sentence(part: object) -> str:
    assert isinstance(part, dict)
    where = ".".join(str(step) for step in part["loc"]).upper()
    message = str(part["msg"]).removeprefix("Value error, ").removesuffix(".")
    message = message.replace("Input should be", "it must be")
    return f"{where}: {message}." if where else f"{message}."
