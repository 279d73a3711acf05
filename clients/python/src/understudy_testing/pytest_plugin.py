"""Fixtures for pytest: ``understudy``, one server a run, and ``sandbox``, one a worker, reset before each test."""

import os
from typing import Any, Dict, Iterator, Optional

import pytest

from ._sandbox import Sandbox
from ._server import Server, connect, start_understudy

_server_key = pytest.StashKey[Server]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist: the first process starts the server, its workers are told where it is."""
    server = _shared(node.config)
    node.workerinput["understudy"] = (server.url, server.admin_token)


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_server_key, None)
    if server is not None:
        server.stop()


def _shared(config: pytest.Config) -> Server:
    server = config.stash.get(_server_key, None)
    if server is None:
        told = getattr(config, "workerinput", {}).get("understudy")
        url = os.environ.get("UNDERSTUDY_URL")
        if told:
            server = connect(told[0], told[1])
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
    """What the sandbox is made of. Override it in conftest.py."""
    return {}


class _Worker:
    """What a worker works in: one sandbox, put back before each test. One in which a test failed stays as it is, so that
    a person can look, and the next test gets another."""

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
    """The worker's sandbox, as it was when it was made."""
    return _understudy_worker.for_test(request.node.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """What a test did not live up to was perhaps not a wait of the sandbox's own."""
    outcome: Any = yield
    used = getattr(item, "funcargs", {}).get("sandbox")
    if outcome.get_result().failed and isinstance(used, Sandbox):
        used.failed = True
