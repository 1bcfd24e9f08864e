"""The address of a server, and the headers every request to it carries."""

import httpx

from lib.errors import SettingsError


def checked_url(base_url: str) -> httpx.URL:
    """`base_url` as a web address. Raises SettingsError for anything else."""
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL as error:
        raise SettingsError("STATEWAVE_BASE_URL is not a web address.") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError(
            "STATEWAVE_BASE_URL must be a whole address, for example http://127.0.0.1:8100."
        )
    return url


def common_headers(api_key: str | None, tenant_id: str | None) -> dict[str, str]:
    """What every request carries. Raises SettingsError for what no header can hold."""
    headers = {"User-Agent": "statewave-dashboard", "Accept": "application/json"}
    for name, setting, value in (
        ("X-API-Key", "STATEWAVE_API_KEY", api_key),
        ("X-Tenant-ID", "STATEWAVE_TENANT_ID", tenant_id),
    ):
        if value and not (value.isascii() and value.isprintable()):
            raise SettingsError(f"{setting} may only contain printable ASCII characters.")
        if value:
            headers[name] = value
    return headers
