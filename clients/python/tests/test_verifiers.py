"""The adapter for verifiers against a stand-in for the part of its documented interface that it uses."""

import asyncio
import importlib
import inspect
import sys
import types

import pytest

from understudy_testing import ApiError, Server


class StatefulToolEnv:
    """Keeps tools as the framework does: their schemas are made from signatures."""

    def __init__(self, dataset, rubric, max_turns) -> None:
        self.dataset, self.rubric, self.max_turns = dataset, rubric, max_turns
        self.tools = {}

    def add_tool(self, tool, args_to_skip) -> None:
        shown = [name for name in inspect.signature(tool).parameters if name not in args_to_skip]
        self.tools[tool.__name__] = (tool, shown)

    async def setup_state(self, state, **named):
        return state

    async def rollout(self, row, calls):
        """A model that makes these calls, then the cleanup, then the rubric."""
        state = {"info": row["info"], "prompt": row["prompt"]}
        said = []
        try:
            state = await self.setup_state(state)
            for name, args in calls(state):
                given = self.update_tool_args(name, args, [], state)
                said.append(await self.tools[name][0](**given))
        finally:
            for name in dir(self):
                if getattr(getattr(self, name), "is_cleanup", False):
                    await getattr(self, name)(state)
        return state, said, [judge(state) for judge in self.rubric.funcs]


@pytest.fixture
def adapter(monkeypatch):
    def cleanup(method):
        method.is_cleanup = True
        return method

    verifiers = types.ModuleType("verifiers")
    verifiers.__dict__.update(
        StatefulToolEnv=StatefulToolEnv, cleanup=cleanup, Rubric=lambda funcs: types.SimpleNamespace(funcs=funcs)
    )
    datasets = types.ModuleType("datasets")
    datasets.Dataset = types.SimpleNamespace(from_list=list)
    monkeypatch.setitem(sys.modules, "verifiers", verifiers)
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    sys.modules.pop("understudy_testing.verifiers", None)
    yield importlib.import_module("understudy_testing.verifiers")
    sys.modules.pop("understudy_testing.verifiers", None)


def test_against_a_stand_in_of_verifiers_a_rollout_has_its_episode_tools_and_score(adapter, understudy: Server) -> None:
    environment = adapter.load_environment(["c01-announce"], understudy.url, understudy.admin_token, max_turns=3)
    assert environment.max_turns == 3
    (row,) = environment.dataset
    post = next(name for name in environment.tools if "post" in name or "send" in name)
    tool, shown = environment.tools[post]
    assert "episode" not in shown and "text" in shown
    assert "Args:" in tool.__doc__
    episodes = []

    def calls(state):
        episode = state["understudy"]
        episodes.append(episode)
        for step in episode.task.gold:
            if step.get("call") == "chat.postMessage":
                channel = episode.sandbox.credentials["channels"]["ops"]
                yield post, {shown[0]: channel, "text": step["args"]["text"]}

    state, said, rewards = asyncio.run(environment.rollout(row, calls))
    assert rewards == [1.0], (said, state["understudy_failures"])
    with pytest.raises(ApiError):
        episodes[0].sandbox.snapshot()
    state, _, rewards = asyncio.run(environment.rollout(row, lambda state: []))
    assert rewards[0] < 1 and state["understudy_failures"]


def test_against_a_stand_in_of_verifiers_a_rollout_that_fails_is_closed(adapter, understudy: Server) -> None:
    environment = adapter.load_environment(["c01-announce"], understudy.url, understudy.admin_token)
    episodes = []

    def calls(state):
        episodes.append(state["understudy"])
        raise RuntimeError("the model is gone")

    with pytest.raises(RuntimeError, match="the model is gone"):
        asyncio.run(environment.rollout(environment.dataset[0], calls))
    with pytest.raises(ApiError):
        episodes[0].sandbox.snapshot()
