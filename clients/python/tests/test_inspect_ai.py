"""The adapter for Inspect AI against a stand-in for the part of its documented interface that it uses."""

import asyncio
import importlib
import sys
import types

import pytest

from understudy_testing import ApiError, Server


class Record:
    def __init__(self, *given, **named) -> None:
        self.given = given
        self.__dict__.update(named)


class Store:
    def __init__(self) -> None:
        self.values = {}

    def set(self, key, value) -> None:
        self.values[key] = value

    def get(self, key, default=None):
        return self.values.get(key, default)

    def delete(self, key) -> None:
        self.values.pop(key, None)


def state_of(sample: Record) -> Record:
    return Record(
        sample_id=sample.id, metadata=sample.metadata, store=Store(), output=Record(completion="done"), tools=[]
    )


@pytest.fixture
def adapter(monkeypatch):
    def use_tools(*tools):
        async def solve(state, generate):
            state.tools = [each for given in tools for each in (given if isinstance(given, list) else [given])]
            return state

        return solve

    def module(name: str, **named) -> None:
        made = types.ModuleType(name)
        made.__dict__.update(named)
        monkeypatch.setitem(sys.modules, name, made)

    def same(decorated):
        return decorated

    module("inspect_ai", Task=Record, task=same)
    module("inspect_ai.dataset", MemoryDataset=lambda samples, name: Record(samples=samples, name=name), Sample=Record)
    module("inspect_ai.scorer", Score=Record, mean=Record, stderr=Record, scorer=lambda metrics: same)
    module("inspect_ai.solver", generate=Record, solver=same, use_tools=use_tools)
    module("inspect_ai.tool", mcp_server_http=lambda name, url: Record(name=name, url=url))
    sys.modules.pop("understudy_testing.inspect_ai", None)
    yield importlib.import_module("understudy_testing.inspect_ai")
    sys.modules.pop("understudy_testing.inspect_ai", None)


def test_against_a_stand_in_of_inspect_ai_a_sample_is_set_up_scored_and_closed(adapter, understudy: Server) -> None:
    task = adapter.understudy_task(ids=["c01-announce", "x05-wait"], server=understudy)
    assert [sample.id for sample in task.dataset.samples] == ["c01-announce", "x05-wait"]
    state = state_of(task.dataset.samples[0])

    async def run() -> Record:
        await task.setup(state, None)
        await task.solver[0](state, None)
        episode = state.store.get(adapter.EPISODE)
        assert [(server.name, server.url) for server in state.tools] == [
            ("understudy-chat", episode.mcp_urls["chat"]),
        ]
        failed = await task.scorer(state, None)
        assert failed.value < 1 and "expected" in failed.explanation
        await asyncio.to_thread(episode.run_gold)
        scored = await task.scorer(state, None)
        await task.cleanup(state)
        return scored, episode

    scored, episode = asyncio.run(run())
    assert (scored.value, scored.answer) == (1, "done")
    with pytest.raises(ApiError):
        episode.sandbox.snapshot()
    # after a set-up that failed there is nothing to close
    asyncio.run(task.cleanup(state))


def test_against_a_stand_in_of_inspect_ai_a_scorer_without_set_up_says_so(adapter) -> None:
    state = state_of(Record(id="c01-announce", metadata={}))
    with pytest.raises(RuntimeError, match="understudy_setup"):
        asyncio.run(adapter.understudy_scorer()(state, None))
