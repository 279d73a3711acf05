import pytest
from agent import Agent

pytest_plugins = ["understudy_testing.pytest_plugin"]  # not needed where the package is installed with pip

MANIFEST = {
    "display_information": {"name": "helper"},
    "features": {
        "bot_user": {"display_name": "helper"},
        "app_home": {"messages_tab_enabled": True},
        "agent_view": {
            "agent_description": "Answers questions",
            "suggested_prompts": [{"title": "Sum up", "message": "Sum up the week"}],
        },
    },
    "oauth_config": {"scopes": {"bot": ["assistant:write", "chat:write", "im:history"]}},
}


class ScriptedModel:
    """Says what a test tells it to, without a network."""

    def __init__(self):
        self.pieces = []
        self.asked = []

    def __call__(self, question):
        self.asked.append(question)
        yield from self.pieces


@pytest.fixture(scope="session")
def understudy_seed():
    return {"methods": "all", "users": ["alice"], "apps": [{"name": "helper", "manifest": MANIFEST}]}


@pytest.fixture(autouse=True)
def model(sandbox):
    """The model of an agent that runs during a test, with its URL registered in the sandbox."""
    scripted = ScriptedModel()
    agent = Agent(sandbox.env("helper"), scripted)
    urls = {
        "event_subscriptions": {"request_url": agent.url, "events": ["message.im"]},
        "interactivity_url": agent.url,
    }
    sandbox.seed(apps=[{"name": "helper", **urls}])
    yield scripted
    agent.stop()
