"""Converts values for the server's matchers."""

import re
from typing import Any

_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_REFUSED = [
    (r"\(\?<?[=!]", "look-ahead and look-behind"),
    (r"(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=", "references to groups"),
    (r"\(\?\(", "conditions"),
]


def to_matcher(value: Any) -> Any:
    """A compiled pattern becomes ``$matches`` in RE2's syntax, at any depth; everything else is kept.

    Raises TypeError for a pattern that has no equivalent in RE2.
    """
    if isinstance(value, re.Pattern):
        return {"$matches": _to_re2(value)}
    if isinstance(value, dict):
        return {key: to_matcher(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_matcher(each) for each in value]
    return value


def _to_re2(pattern: "re.Pattern[str]") -> str:
    for refused, what in _REFUSED:
        if re.search(refused, pattern.pattern):
            raise TypeError(f"{pattern.pattern!r}: {what} are not supported: the server matches in linear time")
    if pattern.flags & re.VERBOSE:
        raise TypeError(f"{pattern.pattern!r}: the flag VERBOSE has no meaning in a matcher")
    flags = "".join(letter for flag, letter in _FLAGS.items() if pattern.flags & flag)
    return f"(?{flags}){pattern.pattern}" if flags else pattern.pattern
