"""The reference tasks as an environment of Prime Intellect's verifiers."""

import inspect
import json
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._shared import in_thread, server_for
from ._server import Server
from .tasks import Episode, Task, load_tasks

try:
    import verifiers as vf
    from datasets import Dataset
except ImportError as error:
    raise ImportError("install verifiers to use understudy_testing.verifiers") from error

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}
#: What the model does not see of a tool: the episode in which it is called.
_HIDDEN = "episode"


def load_environment(
    tasks: Optional[Sequence[str]] = None,
    url: Optional[str] = None,
    admin_token: Optional[str] = None,
    max_turns: int = 20,
) -> Any:
    """The environment of these tasks, by their ids, at a server.

    Without ``url`` that is the one at ``UNDERSTUDY_URL``, else one that is started for it.
    """
    found = load_tasks(ids=tasks)
    server = server_for(url, admin_token)
    rows = [{"prompt": [{"role": "user", "content": each.prompt}], "answer": "", "info": {"id": each.id}} for each in found]
    rubric = vf.Rubric(funcs=[understudy_score])
    environment = UnderstudyEnv(server, found, dataset=Dataset.from_list(rows), rubric=rubric, max_turns=max_turns)
    for tool in _tools(server, found):
        environment.add_tool(_callable(tool), args_to_skip=[_HIDDEN])
    return environment


def understudy_score(state: Any) -> float:
    """What the episode came to, which is closed by then."""
    return float(state.get("understudy_score", 0.0))


class UnderstudyEnv(vf.StatefulToolEnv):  # type: ignore[misc]
    """Each rollout has a sandbox of its own."""

    def __init__(self, server: Server, tasks: Sequence[Task], **options: Any) -> None:
        super().__init__(**options)
        self._server = server
        self._tasks = {each.id: each for each in tasks}

    async def setup_state(self, state: Any, **named: Any) -> Any:
        made = await super().setup_state(state, **named)
        state = state if made is None else made
        info = state["info"]
        task = self._tasks[(json.loads(info) if isinstance(info, str) else info)["id"]]
        state["understudy"] = await in_thread(task.start, self._server)
        return state

    def update_tool_args(self, tool_name: str, tool_args: Dict[str, Any], messages: Any, state: Any, **_: Any) -> Dict[str, Any]:
        return {**tool_args, _HIDDEN: state["understudy"]}

    @vf.cleanup  # type: ignore[untyped-decorator]
    async def close_episode(self, state: Any) -> None:
        """Scores the episode and closes it: afterwards nothing is left to ask."""
        episode: Optional[Episode] = state.pop("understudy", None)
        if episode is None:
            return
        try:
            judged = await in_thread(episode.score)
            state["understudy_score"] = judged.score
            state["understudy_failures"] = judged.failures
        finally:
            await in_thread(episode.close)


def _tools(server: Server, tasks: Sequence[Task]) -> List[Dict[str, Any]]:
    """The tools of these tasks, as an episode of one with each set of them describes them."""
    tools: Dict[str, Dict[str, Any]] = {}
    for task in {tuple(each.tools): each for each in tasks}.values():
        with task.start(server) as episode:
            tools.update({tool["name"]: tool for tool in episode.tools()})
    return list(tools.values())


def _callable(tool: Dict[str, Any]) -> Callable[..., Any]:
    """A function with the tool's name, description and arguments, from which frameworks make their schemas."""
    schema = tool["inputSchema"]
    required = set(schema.get("required", []))

    async def call(**given: Any) -> str:
        episode: Episode = given.pop(_HIDDEN)
        args = {name: value for name, value in given.items() if value is not None}
        return str(await in_thread(episode.call, tool["name"], args))

    hidden = inspect.Parameter(_HIDDEN, inspect.Parameter.KEYWORD_ONLY, annotation=Any)
    parameters = [hidden]
    lines = []
    for name, described in schema.get("properties", {}).items():
        type_ = _TYPES.get(str(described.get("type")), Any)
        is_required = name in required
        annotation = type_ if is_required else Optional[type_]
        default = inspect.Parameter.empty if is_required else None
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        lines.append(f"    {name}: {described.get('description', '')}")
    call.__name__ = call.__qualname__ = tool["name"]
    call.__doc__ = "\n".join([str(tool.get("description", "")), *(["", "Args:", *lines] if lines else [])])
    call.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    call.__annotations__ = {**{each.name: each.annotation for each in parameters}, "return": str}
    return call
