"""Fixtures for pytest: ``understudy``, one server per run, and ``sandbox``, one per worker, reset before each test."""

import os
from typing import Any, Dict, Iterator, Optional

import pytest

from ._sandbox import Sandbox
from ._server import Server, connect, start_understudy

_server_key = pytest.StashKey[Server]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist: the first process starts the server and tells its workers where it is."""
    server = _shared(node.config)
    node.workerinput["understudy"] = (server.url, server.admin_token)


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_server_key, None)
    if server is not None:
        server.stop()


def _shared(config: pytest.Config) -> Server:
    server = config.stash.get(_server_key, None)
    if server is None:
        shared = getattr(config, "workerinput", {}).get("understudy")
        url = os.environ.get("UNDERSTUDY_URL")
        if shared:
            server = connect(shared[0], shared[1])
        elif url:
            server = connect(url, os.environ.get("UNDERSTUDY_ADMIN_TOKEN"))
        else:
            server = start_understudy()
        config.stash[_server_key] = server
    return server


@pytest.fixture(scope="session")
def understudy(pytestconfig: pytest.Config) -> Server:
    """The run's server."""
    return _shared(pytestconfig)


@pytest.fixture(scope="session")
def understudy_seed() -> Dict[str, Any]:
    """The sandbox's content. Override it in conftest.py."""
    return {}


class _Worker:
    """The sandbox of one test worker, reset before each test. A sandbox in which a test failed is kept for inspection,
    and the next test gets a new one."""

    def __init__(self, server: Server, seed: Dict[str, Any]) -> None:
        self._server = server
        self._seed = seed
        self._current: Optional[Sandbox] = None

    def for_test(self, title: str) -> Sandbox:
        if self._current is None or self._current.is_kept:
            self._current = self._server.create_sandbox(self._seed)
        else:
            self._current.reset()
        self._current.note(title)
        return self._current

    def end(self) -> None:
        if self._current is not None:
            self._current.delete()


@pytest.fixture(scope="session")
def _understudy_worker(understudy: Server, understudy_seed: Dict[str, Any]) -> Iterator[_Worker]:
    worker = _Worker(understudy, understudy_seed)
    yield worker
    worker.end()


@pytest.fixture
def sandbox(_understudy_worker: _Worker, request: pytest.FixtureRequest) -> Sandbox:
    """The worker's sandbox, in its initial state."""
    return _understudy_worker.for_test(request.node.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Marks the sandbox as failed: the failing expectation may be the test's own rather than a wait of the sandbox."""
    outcome: Any = yield
    used = getattr(item, "funcargs", {}).get("sandbox")
    if outcome.get_result().failed and isinstance(used, Sandbox):
        used.failed = True
