import pytest
from bot import StandupBot

pytest_plugins = ["understudy_testing.pytest_plugin"]  # not needed where the package is installed with pip


@pytest.fixture(scope="session")
def understudy_seed():
    return {
        "users": ["alice", "bob"],
        "channels": [{"name": "team", "members": ["alice", "bob", "standup-bot"]}],
        "apps": [{"name": "standup-bot", "scopes": {"bot": ["channels:history", "chat:write"]}}],
    }


@pytest.fixture
def bot(sandbox):
    return StandupBot(sandbox.env("standup-bot"))


@pytest.fixture
def channel(sandbox):
    return sandbox.credentials["channels"]["team"]
