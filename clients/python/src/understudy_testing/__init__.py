"""Servers and sandboxes of Understudy for tests."""

from ._errors import ApiError, ExpectationError
from ._matchers import to_matcher
from ._person import Person
from ._sandbox import Fault, Removable, Sandbox
from ._server import Pool, Server, connect, start_understudy

__all__ = [
    "ApiError",
    "ExpectationError",
    "Fault",
    "Person",
    "Pool",
    "Removable",
    "Sandbox",
    "Server",
    "connect",
    "start_understudy",
    "to_matcher",
]
