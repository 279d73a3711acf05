"""The HTTP API with one credential."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Mapping, Optional

from ._errors import ApiError

# A wait may take up to a minute to be answered.
TIMEOUT_SECONDS = 90


class Http:
    def __init__(self, url: str, headers: Optional[Mapping[str, str]] = None) -> None:
        self.url = url.rstrip("/")
        self._headers = dict(headers or {})

    def with_headers(self, headers: Mapping[str, str]) -> "Http":
        return Http(self.url, headers)

    def call(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
    ) -> Dict[str, Any]:
        """Calls a route below ``/api``. Raises ApiError when the answer is not 2xx."""
        text = self.text(method, path, body, query)
        return json.loads(text) if text else {}

    def text(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
    ) -> str:
        """The same, and the answer as it came."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self.url}/api{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        headers = dict(self._headers)
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as error:
            raise ApiError(f"{method} {path}", error.code, error.read().decode("utf-8", "replace")) from None


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def without_none(**fields: Any) -> Dict[str, Any]:
    """Leaves out fields that are None."""
    return {name: value for name, value in fields.items() if value is not None}
