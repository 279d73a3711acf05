"""The reference tasks, each attempt in a sandbox that was ready in a pool."""

import importlib
import json
import sys

import pytest

from understudy_testing import Server
from understudy_testing.tasks import Score, load_tasks


def test_loads_the_thirty_tasks_or_those_of_a_folder(tmp_path) -> None:
    tasks = load_tasks()
    assert len(tasks) == 30
    assert [task.id for task in load_tasks(ids=["x05-wait", "c01-announce"])] == ["x05-wait", "c01-announce"]
    with pytest.raises(KeyError, match="no task has the id c99"):
        load_tasks(ids=["c99"])
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "empty.json").write_text('{"users": ["alice"]}')
    (tmp_path / "own.json").write_text(
        '{"id": "own", "title": "t", "prompt": "p", "tools": ["chat"], "world": "empty", "expect": [], "gold": []}'
    )
    (own,) = load_tasks(tmp_path)
    assert (own.id, own.world_document) == ("own", {"users": ["alice"]})


def test_reads_yaml_as_the_server_does() -> None:
    pytest.importorskip("yaml")
    from understudy_testing import tasks

    there = tasks._folder(tasks._OWN.parent)
    # the document of all of them lies in the same folder
    there["tasks"] = [each for each in there["tasks"] if "id" in each]
    assert there == json.loads(tasks._OWN.read_text("utf-8"))


@pytest.mark.parametrize("id", ["c01-announce", "x03-ratelimit", "x05-wait", "t01-create"])
def test_doing_nothing_fails_and_the_solution_passes(understudy: Server, id: str) -> None:
    (task,) = load_tasks(ids=[id])
    with task.start(understudy) as episode:
        nothing = episode.score()
        assert not nothing.passed and nothing.failures
    with task.start(understudy) as episode:
        episode.run_gold()
        assert episode.score() == Score(True, 1, [])
        lines = episode.trajectory()
        assert (lines[0]["t"], lines[-1]["t"]) == ("start", "end")
    with task.start(understudy, pool=False) as episode:
        episode.run_gold()
        assert episode.score().passed


def test_gives_the_tools_of_the_task_by_url(understudy: Server) -> None:
    (task,) = load_tasks(ids=["c01-announce"])
    with task.start(understudy) as episode:
        assert list(episode.mcp_urls) == ["chat"]
        tools = {tool["name"]: tool for tool in episode.tools()}
        post = next(name for name in tools if "post" in name or "send" in name)
        assert tools[post]["inputSchema"]["type"] == "object"
        channel = episode.sandbox.credentials["channels"]["ops"]
        name = next(iter(tools[post]["inputSchema"]["required"]))
        said = episode.call(post, {name: channel, "text": "by a tool"})
        assert episode.sandbox.wait_for_message("by a tool"), said
        assert episode.call("fly").startswith("unknown_tool")
        # what is refused is told to the agent
        assert "not_found" in episode.call(post, {name: "C0NOWHERE00", "text": "x"})
        assert episode.env()["SLACK_BOT_TOKEN"].startswith("xoxb-")


@pytest.mark.parametrize(("name", "package"), [("inspect_ai", "inspect-ai"), ("verifiers", "verifiers")])
def test_names_the_package_that_an_adapter_needs(name: str, package: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    sys.modules.pop(f"understudy_testing.{name}", None)
    with pytest.raises(ImportError, match=f"install {package} "):
        importlib.import_module(f"understudy_testing.{name}")
