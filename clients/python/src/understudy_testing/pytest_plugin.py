"""Fixtures for pytest: ``understudy``, one server a run, and ``sandbox``, one a worker, reset before each test."""

import os
from typing import Any, Dict, Iterator

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


@pytest.fixture(scope="session")
def _worker_sandbox(understudy: Server, understudy_seed: Dict[str, Any]) -> Iterator[Sandbox]:
    sandbox = understudy.create_sandbox(understudy_seed)
    yield sandbox
    sandbox.delete()


@pytest.fixture
def sandbox(_worker_sandbox: Sandbox, request: pytest.FixtureRequest) -> Sandbox:
    """The worker's sandbox, as it was when it was made."""
    _worker_sandbox.reset()
    _worker_sandbox.note(request.node.nodeid)
    return _worker_sandbox
