"""The reference tasks for Inspect AI: ``eval(understudy_task(ids=["c01-announce"]), model="…")``.

A sample's episode is started by ``understudy_setup``, kept in its store, and closed by the task's ``cleanup``.
"""

from typing import Any, Optional, Sequence

from ._shared import in_thread, server_for
from ._server import Server
from .tasks import Episode, load_tasks

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, mean, scorer, stderr
    from inspect_ai.solver import generate, solver, use_tools
    from inspect_ai.tool import mcp_server_http
except ImportError as error:
    raise ImportError("install inspect-ai to use understudy_testing.inspect_ai") from error

#: Where the episode is in a sample's store.
EPISODE = "understudy"


def understudy_dataset(ids: Optional[Sequence[str]] = None, path: Optional[str] = None) -> Any:
    """The tasks as samples: their prompts, with the task's id in the metadata."""
    return MemoryDataset(
        [
            Sample(id=each.id, input=each.prompt, target="", metadata={"title": each.title, "path": path})
            for each in load_tasks(path, ids)
        ],
        name="understudy",
    )


@solver
def understudy_setup(server: Optional[Server] = None, pool: bool = True) -> Any:
    """Starts the sample's episode."""

    async def solve(state: Any, generate: Any) -> Any:
        (each,) = load_tasks((state.metadata or {}).get("path"), [str(state.sample_id)])
        state.store.set(EPISODE, await in_thread(each.start, _server(server), pool))
        return state

    return solve


@solver
def understudy_tools() -> Any:
    """Gives the model the tools of its episode."""

    async def solve(state: Any, generate: Any) -> Any:
        urls = _episode(state).mcp_urls
        servers = [mcp_server_http(name=f"understudy-{name}", url=url) for name, url in urls.items()]
        return await use_tools(servers)(state, generate)

    return solve


@scorer(metrics=[mean(), stderr()])
def understudy_scorer() -> Any:
    """The score of the episode, with its failures as explanation."""

    async def score(state: Any, target: Any) -> Any:
        judged = await in_thread(_episode(state).score)
        explanation = "\n".join(judged.failures) or "all expectations hold"
        return Score(value=judged.score, answer=state.output.completion, explanation=explanation)

    return score


async def understudy_cleanup(state: Any) -> None:
    """Closes the sample's episode, whatever happened."""
    episode = state.store.get(EPISODE)
    if episode is not None:
        state.store.delete(EPISODE)
        await in_thread(episode.close)


@task
def understudy_task(
    ids: Optional[Sequence[str]] = None, path: Optional[str] = None, server: Optional[Server] = None, solver: Any = None
) -> Any:
    """The tasks with a model in a loop of tool calls, or another solver."""
    return Task(
        dataset=understudy_dataset(ids, path),
        setup=understudy_setup(server),
        solver=[understudy_tools(), solver if solver is not None else generate()],
        scorer=understudy_scorer(),
        cleanup=understudy_cleanup,
    )


_started: Optional[Server] = None


def _server(given: Optional[Server]) -> Server:
    """One server for all samples of a process."""
    global _started
    if given is None and _started is None:
        _started = server_for()
    return given or _started  # type: ignore[return-value]


def _episode(state: Any) -> Episode:
    episode = state.store.get(EPISODE)
    if episode is None:
        raise RuntimeError("no episode was started: understudy_setup() must be the task's setup")
    return episode  # type: ignore[no-any-return]
