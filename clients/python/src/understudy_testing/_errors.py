"""The errors that a test can meet."""

import json


class ApiError(Exception):
    """The server refused a call. ``code`` is the first word of its answer, such as ``sandbox_not_found``."""

    def __init__(self, call: str, status: int, text: str) -> None:
        lines = [text[:500]]
        try:
            message = json.loads(text).get("message")
            lines = message if isinstance(message, list) else [message or ""]
        except (ValueError, AttributeError):
            pass
        self.status = status
        self.code = lines[0] if lines else ""
        super().__init__(f"{call} answered {status}: " + "\n  ".join(str(line) for line in lines))


class ExpectationError(AssertionError):
    """A wait timed out or an assertion failed. The message says what was found instead."""
