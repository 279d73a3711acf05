from typing import Any, Dict

import pytest


@pytest.fixture(scope="session")
def understudy_seed() -> Dict[str, Any]:
    return {
        "users": ["alice"],
        "channels": [{"name": "war-room", "members": ["alice", "deploy-bot"]}],
        "apps": [{"name": "deploy-bot", "scopes": {"bot": ["chat:write", "channels:history"]}}],
    }
