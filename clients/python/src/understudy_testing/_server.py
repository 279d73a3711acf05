"""Connects to a running server, or starts one for the tests."""

import atexit
import json
import os
import queue
import secrets
import shlex
import shutil
import subprocess
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional

from ._errors import ApiError
from ._http import Http
from ._sandbox import Removable, Sandbox

# How long the creation of a sandbox waits for a busy server, and how long between two tries.
BUSY_FOR_SECONDS = 30
AGAIN_AFTER_SECONDS = 1


class Server:
    def __init__(
        self,
        url: str,
        admin_token: Optional[str] = None,
        keep_on_failure: bool = True,
        process: "Optional[subprocess.Popen[str]]" = None,
    ) -> None:
        self.admin_token = admin_token
        self._keep_on_failure = keep_on_failure
        self._process = process
        self._http = Http(url, {"x-admin-token": admin_token} if admin_token else {})

    @property
    def url(self) -> str:
        """Without a final slash."""
        return self._http.url

    def create_sandbox(self, document: Optional[Mapping[str, Any]] = None, **fields: Any) -> Sandbox:
        """Makes a sandbox from a seed document or its fields. ``users=["alice"]`` is short for users with these names.

        ``id_space="own"`` with ``deterministic=True`` and ``clock={"frozen": True, "tick_ms": 1000}`` makes one in which
        the same calls have the same answers, while its time goes on with each.

        Unless they say otherwise, ``missing_scope`` has status 200 there as at Slack. While the server is busy (503),
        as when all workers of a suite begin at once, it asks again for up to 30 seconds.
        """
        return self._make({"missing_scope_status": 200, **(document or {}), **fields})

    def create_pool(self, name: str, from_: str, size: int, **fields: Any) -> "Pool":
        """Keeps copies of a snapshot ready, by its id: a claim takes milliseconds, and another one is made behind it.

        Fields are ``refill`` (whether another one is made), ``ttl_seconds`` of a claimed sandbox, ``urls``,
        ``id_space`` (``own``, the default: all have the ids of the snapshot, each for itself) and ``deterministic``
        (the same calls have the same answers in each; the snapshot's clock must stand).
        """
        made = self._http.call("POST", "/pools", {"name": name, "from": from_, "size": size, **fields})
        return Pool(self, self._http, made)

    def claim(self, pool: str, **fields: Any) -> Sandbox:
        """Takes a sandbox that is ready in a pool, by its name or id, or a new one where none is.

        Fields are ``name``, ``labels``, ``ttl_seconds``. ``missing_scope`` has status 200 there as in those of
        ``create_sandbox``.
        """
        sandbox = self._make({"pool": pool, **fields})
        self._http.call("PATCH", f"/sandboxes/{sandbox.id}", {"missing_scope_status": 200})
        return sandbox

    def _make(self, body: Dict[str, Any]) -> Sandbox:
        made = _while_busy(lambda: self._http.call("POST", "/sandboxes", body))
        return Sandbox(self._http, made, self._keep_on_failure)

    def stop(self) -> None:
        """Stops a server that ``start_understudy`` started; does nothing to one that is only connected to."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


class Pool(Removable):
    """Sandboxes that are ready before they are needed; a ``with`` block removes what nobody has claimed."""

    def __init__(self, server: Server, http: Http, made: Mapping[str, Any]) -> None:
        super().__init__(http, "/pools", made["id"])
        self.name: str = made["name"]
        self._server = server

    def claim(self, **fields: Any) -> Sandbox:
        return self._server.claim(self.id, **fields)

    def state(self) -> Dict[str, Any]:
        """How many are ready, still to be made, and claimed."""
        return self._http.call("GET", f"{self._path}/{self.id}")

    def change(self, **fields: Any) -> None:
        """Sets ``size`` and ``refill``."""
        self._http.call("PATCH", f"{self._path}/{self.id}", fields)

    def __enter__(self) -> "Pool":
        return self


def _while_busy(call: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """Makes a call again while the server answers that it is busy."""
    end = time.monotonic() + BUSY_FOR_SECONDS
    while True:
        try:
            return call()
        except ApiError as error:
            if error.status != 503 or time.monotonic() > end:
                raise
        time.sleep(AGAIN_AFTER_SECONDS)


def connect(url: str, admin_token: Optional[str] = None, keep_on_failure: bool = True) -> Server:
    """Connects to a running server, without a request yet."""
    return Server(url, admin_token, keep_on_failure)


def start_understudy(
    data: str = "memory",
    seed: Optional[str] = None,
    mode: Optional[str] = None,
    methods: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    command: Optional[List[str]] = None,
    timeout_seconds: float = 60,
    keep_on_failure: bool = True,
) -> Server:
    """Starts a server on a free port with its data in memory. It ends with this process.

    Raises RuntimeError with the server's output when it does not start.
    """
    admin_token = secrets.token_hex(20)
    flags = ["start", "--port", "0", "--data", data, "--quiet", "--until-stdin-ends"]
    for flag, value in (("--seed", seed), ("--mode", mode), ("--methods", methods)):
        if value is not None:
            flags += [flag, value]
    foreign = ("PORT", "HOST", "DATABASE_URL")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SVC_") and k not in foreign}
    process = subprocess.Popen(
        [*(command or _command()), *flags],
        env={**inherited, "SVC_ADMIN_TOKEN": admin_token, "SVC_LOG_FORMAT": "json", **(env or {})},
        # it ends with the pipe to it, so also when this process is killed
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Server(_base_of(process, timeout_seconds), admin_token, keep_on_failure, process)
    atexit.register(server.stop)
    return server


def _command() -> List[str]:
    """The command to run: UNDERSTUDY_COMMAND, else the one on the path, else the one npm installed here."""
    given = os.environ.get("UNDERSTUDY_COMMAND")
    if given:
        return shlex.split(given)
    found = shutil.which("understudy")
    local = os.path.join("node_modules", ".bin", "understudy")
    if found or os.path.exists(local):
        return [found or local]
    raise RuntimeError("the understudy command was not found: set UNDERSTUDY_COMMAND, as in 'node /path/to/bin/understudy.mjs'")


def _base_of(process: "subprocess.Popen[str]", timeout_seconds: float) -> str:
    """Reads the base URL from the server's log. Later output is read and discarded."""
    lines: "queue.Queue[Optional[str]]" = queue.Queue()

    def read() -> None:
        listening = True
        for line in process.stdout or ():
            if listening:
                lines.put(line)
                listening = '"base"' not in line
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    said: List[str] = []
    end = time.monotonic() + timeout_seconds
    while True:
        try:
            line = lines.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            process.kill()
            raise RuntimeError("\n  ".join([f"understudy did not start within {timeout_seconds} s", *said[-20:]])) from None
        if line is None:
            raise RuntimeError("\n  ".join([f"understudy ended with code {process.wait()}", *said[-20:]]))
        said.append(line.rstrip())
        try:
            base = json.loads(line).get("base")
        except (ValueError, AttributeError):
            continue
        if base:
            return str(base)
