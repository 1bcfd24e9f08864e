"""The terminal commands: `python -m lib.cli --help`."""

import ipaddress
import logging
import socket
from contextlib import closing
from pathlib import Path
from typing import Annotated, NoReturn

import typer
import uvicorn
from rich.console import Console

from lib.connect import connect_runtime, connect_server
from lib.errors import SettingsError, StatewaveError
from lib.settings import Settings, load_settings, secret_variable

EXIT_FAILED = 1
EXIT_REFUSED = 2
"""As for a wrong option: what was asked for cannot be done as it stands."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def commands() -> None:
    """Statewave demo dashboard: terminal commands."""


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8100,
    data: Annotated[
        Path | None, typer.Option(help="Data folder; STATEWAVE_DATA_DIR by default.")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable that holds the API key to ask for.")
    ] = None,
) -> None:
    """Serve the embedded engine as a Statewave server: the /v1 contract over HTTP."""
    try:
        key = _api_key(api_key_env)
        if key is None and not _is_this_machine(host):
            raise SettingsError(
                f"Without an API key the server only listens on this machine, not on {host}: "
                "name the environment variable that holds a key with --api-key-env."
            )
        settings = _embedded(load_settings(), data)
    except SettingsError as error:
        _stop(str(error), EXIT_REFUSED)
    logging.basicConfig(level=settings.log_level, format="%(levelname)s: %(message)s")
    with _listener(host, port) as listener:
        try:
            runtime = connect_runtime(settings)
        except StatewaveError as error:
            _stop(str(error), EXIT_FAILED)
        with closing(runtime):
            url = _url(host, listener.getsockname()[1])
            guard = "with an API key" if key else "without an API key"
            _say(f"Serving {runtime.info().location} at {url} {guard}. Ctrl+C stops it.")
            # No access log: the query of an address names subjects and what is searched for.
            config = uvicorn.Config(
                connect_server(runtime, api_key=key), log_level="warning", access_log=False
            )
            uvicorn.Server(config).run(sockets=[listener])


def _api_key(name: str | None) -> str | None:
    if name is None:
        return None
    key = secret_variable(name)
    if key is None:
        raise SettingsError(f"The environment variable {name} is not set, so there is no API key.")
    return key.get_secret_value()


def _embedded(settings: Settings, data: Path | None) -> Settings:
    changes = {} if data is None else {"statewave_data_dir": data}
    return settings.model_copy(update={"statewave_runtime": "embedded", **changes})


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )[0]
        # Named as TCP, else asyncio leaves Nagle's algorithm on and every answer takes 40 ms.
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # From here on a caller waits for the server instead of being turned away.
        listener.listen(128)
    except OSError as error:
        reason = error.strerror or str(error)
        _stop(f"Cannot listen on {host}, port {port}: {reason}.", EXIT_FAILED)
    return listener


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _say(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True, highlight=False).print(sentence, markup=False)


def _stop(sentence: str, code: int) -> NoReturn:
    _say(sentence)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
