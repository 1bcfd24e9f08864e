"""Builds the runtime and the model that the settings ask for; the only place naming them."""

from collections.abc import Callable
from pathlib import Path

from starlette.types import ASGIApp

from lib.compiling.draft import Compiler
from lib.compiling.model import ModelCompiler
from lib.compiling.offline import OfflineCompiler
from lib.embedded.runtime import EmbeddedRuntime
from lib.embedding import MiniLmEmbedder
from lib.errors import StoreError
from lib.gate import CompileGate
from lib.llm import OpenAIModel
from lib.offline import OfflineReader
from lib.outbox import Outbox
from lib.protocol import ChatModel, MemoryRuntime
from lib.settings import Settings
from lib.statewave import StatewaveClient
from lib.titles import SessionTitles

DATABASE_NAME = "statewave.db"
SEEDED_MARKER = "demo-seeded"
OUTBOX_NAME = "outbox.db"
TITLES_NAME = "session-titles.db"
EMBEDDED_DESTINATION = "the embedded engine"


def connect_runtime(settings: Settings, *, gate: CompileGate | None = None) -> MemoryRuntime:
    """The memory runtime. Raises StoreError when the data folder cannot be used.

    A server is only asked to compile what passes `gate`.
    """
    if settings.runtime == "statewave":
        assert settings.statewave_base_url
        key = settings.statewave_api_key
        return StatewaveClient(
            settings.statewave_base_url,
            api_key=key.get_secret_value() if key else None,
            tenant_id=settings.statewave_tenant_id,
            gate=gate,
        )
    folder = data_folder(settings)
    return EmbeddedRuntime(
        folder / DATABASE_NAME, compiler=connect_compiler(settings), embedder=MiniLmEmbedder()
    )


def connect_server(runtime: MemoryRuntime, *, api_key: str | None) -> ASGIApp:
    """`runtime` as a Statewave server; with `api_key` every `/v1` call must carry it."""
    # Only the terminal serves; the app must not pay for the import at its start.
    from lib.embedded.server import create_app

    return create_app(runtime, api_key=api_key)


def connect_outbox(
    settings: Settings,
    runtime: MemoryRuntime,
    *,
    after_sending: Callable[[str], None] = lambda _: None,
) -> Outbox:
    """The outbox for what is recorded on `runtime`; nothing is made on disk before it is needed.

    A call to a server can be cut off in the middle, so those turns are on disk first.
    """
    destination = EMBEDDED_DESTINATION
    if settings.runtime == "statewave":
        tenant = settings.statewave_tenant_id
        location = runtime.info().location
        destination = f"{location} (tenant {tenant})" if tenant else location
    return Outbox(
        settings.statewave_data_dir.expanduser() / OUTBOX_NAME,
        runtime,
        destination=destination,
        keeps_first=settings.runtime == "statewave",
        after_sending=after_sending,
    )


def connect_titles(settings: Settings, *, destination: str) -> SessionTitles:
    """The names of sessions on the runtime that the outbox calls `destination`."""
    return SessionTitles(
        settings.statewave_data_dir.expanduser() / TITLES_NAME, destination=destination
    )


def connect_compiler(settings: Settings) -> Compiler:
    """What makes memories on the embedded engine; the offline compiler stands in for a model."""
    offline = OfflineCompiler()
    if settings.statewave_compiler == "llm":
        # Never closed: the model keeps no connection open between two requests.
        return ModelCompiler(connect_model(settings), fallback=offline)
    return offline


def connect_model(settings: Settings) -> ChatModel:
    """The language model when a key or a base URL is set, otherwise the offline reader."""
    if settings.llm_api_key or settings.llm_base_url:
        key = settings.llm_api_key
        return OpenAIModel(
            api_key=key.get_secret_value() if key else None,
            base_url=settings.llm_base_url,
            model=settings.openai_model,
        )
    return OfflineReader(pricing_model=settings.openai_model)


def data_folder(settings: Settings) -> Path:
    """The data folder, made when it is missing. Raises StoreError when it cannot be."""
    folder = settings.statewave_data_dir.expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The data folder {folder} cannot be created ({error.strerror}). "
            "Set STATEWAVE_DATA_DIR to a folder this user may write to."
        ) from error
    return folder
