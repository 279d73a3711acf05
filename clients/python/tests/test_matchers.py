import re

import pytest

from understudy_testing import to_matcher


def test_patterns_become_the_servers() -> None:
    assert to_matcher({"text": re.compile("done", re.IGNORECASE)}) == {"text": {"$matches": "(?i)done"}}
    assert to_matcher([re.compile("x")]) == [{"$matches": "x"}]


@pytest.mark.parametrize("bad", ["a(?=b)", "(?<!a)b", r"(a)\1"])
def test_what_re2_cannot_do_is_an_error_at_once(bad: str) -> None:
    with pytest.raises(TypeError):
        to_matcher(re.compile(bad))
