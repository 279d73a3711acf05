"""Tasks for agents: each is a prompt in a small world, and what tells whether it was done.

    with load_tasks(ids=["c01-announce"])[0].start(server) as episode:
        run_agent(episode.task.prompt, episode.mcp_urls)
        print(episode.score())
"""

import hashlib
import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import ApiError
from ._http import TIMEOUT_SECONDS
from ._sandbox import Sandbox
from ._server import Server

#: How many sandboxes a pool keeps ready, unless the caller says it.
POOL_SIZE = 8
#: The longest that a score waits for what scripts and apps still do, in milliseconds.
IDLE_MS = 5_000

_OWN = Path(__file__).with_name("_tasks") / "tasks.json"
_SETTINGS = ("journal", "methods", "rate_limit_multiplier", "missing_scope_status", "urls")
_TEMPLATE = re.compile(r"\{\{\s*([A-Za-z0-9_.-]{1,200})\s*\}\}")


@dataclass(frozen=True)
class Score:
    passed: bool
    #: The weight of the expectations that hold, of 1.
    score: float
    #: A sentence for each of those that do not.
    failures: List[str]


@dataclass(frozen=True)
class Task:
    """A task. What an agent is told is the ``prompt`` alone."""

    id: str
    title: str
    prompt: str
    #: Which of the two tool servers it gets: ``chat``, ``issues``.
    tools: List[str]
    world: str
    expect: List[Dict[str, Any]]
    gold: List[Dict[str, Any]]
    nothing_else: List[str] = field(default_factory=list)
    seed: Optional[Dict[str, Any]] = None
    script: Optional[List[Dict[str, Any]]] = None
    faults: List[Dict[str, Any]] = field(default_factory=list)
    wrong: Optional[List[Dict[str, Any]]] = None
    #: The document of its world.
    world_document: Dict[str, Any] = field(default_factory=dict, repr=False)

    def start(self, server: Server, pool: Union[bool, int] = True) -> "Episode":
        """Starts one attempt in a sandbox of its own.

        With ``pool`` it is claimed from one that the server keeps for the task's world, made at first use; a number says
        how many are kept ready. A server without room for such a pool makes the sandbox at once.
        """
        return Episode(self, _claimed(server, self, pool) or server.create_sandbox(_document(self)))


def load_tasks(path: Union[str, Path, None] = None, ids: Optional[Sequence[str]] = None) -> List[Task]:
    """The tasks of this package, or those of a folder with ``*.yaml`` or ``*.json`` and ``worlds``.

    Raises KeyError for an id that no task has, ImportError where a folder has YAML and PyYAML is not installed.
    """
    found = json.loads(_OWN.read_text("utf-8")) if path is None else _folder(Path(path))
    tasks = [_task(document, found["worlds"]) for document in found["tasks"]]
    if ids is None:
        return tasks
    known = {task.id: task for task in tasks}
    unknown = [id for id in ids if id not in known]
    if unknown:
        raise KeyError(f"no task has the id {unknown[0]}; there are {', '.join(known)}")
    return [known[id] for id in ids]


class Episode:
    """One attempt at a task. A ``with`` block closes it, whatever happens."""

    def __init__(self, task: Task, sandbox: Sandbox) -> None:
        self.task = task
        self.sandbox = sandbox
        self._answers: List[Any] = []
        self._servers: Dict[str, str] = {}
        try:
            body = {**(task.seed or {}), **({"script": task.script} if task.script else {})}
            seeded = sandbox.seed(baseline=True, **body)
            for fault in task.faults:
                sandbox._http.call("POST", f"{sandbox._path}/faults", fault)
        except BaseException:
            self.close()
            raise
        given = sandbox.credentials
        parts = ("refs", "users", "channels", "teams")
        self._names = {**given, **{part: {**given.get(part, {}), **seeded.get(part, {})} for part in parts}}

    def env(self) -> Dict[str, str]:
        """The environment variables of an agent that calls the APIs themselves."""
        return self.sandbox.env()

    @property
    def mcp_urls(self) -> Dict[str, str]:
        """The URLs of the task's tool servers, which need no further credential: ``chat``, ``issues``."""
        return {name: self.sandbox.credentials["mcp"][f"{name}_url"] for name in self.task.tools}

    def tools(self) -> List[Dict[str, Any]]:
        """The tools with their ``name``, ``description`` and ``inputSchema``, as their servers describe them."""
        found: List[Dict[str, Any]] = []
        for server in self.mcp_urls:
            found += self._rpc(server, "tools/list", {})["tools"]
            self._servers.update({tool["name"]: server for tool in found if tool["name"] not in self._servers})
        return found

    def call(self, tool: str, args: Optional[Mapping[str, Any]] = None) -> str:
        """Calls a tool. Its answer as a text, which also says what was refused."""
        if not self._servers:
            self.tools()
        server = self._servers.get(tool)
        if server is None:
            return f"unknown_tool: this task has no tool {tool}"
        answer = self._rpc(server, "tools/call", {"name": tool, "arguments": dict(args or {})})
        return "\n".join(str(part.get("text", "")) for part in answer["content"])

    def run_gold(self) -> None:
        """Performs the task's solution. Raises RuntimeError with the step that was refused."""
        for number, step in enumerate(self.task.gold, 1):
            answer = self._perform(step)
            errors = answer.get("errors")
            said = answer.get("error") or "; ".join(each["message"] for each in errors or [])
            refused = said if answer.get("ok") is False or errors else None
            if refused != step.get("refused"):
                raise RuntimeError(f"step {number} was answered {refused or 'without refusal'}")
            self._answers.append(answer)

    def score(self) -> Score:
        """What the attempt came to so far."""
        self.sandbox.wait_for_idle(IDLE_MS)
        body = {"expect": self.task.expect, "nothing_else": self.task.nothing_else}
        judged = self.sandbox._http.call("POST", f"{self.sandbox._path}/assert", body)
        return Score(judged["passed"], judged["score"], [_sentence(each) for each in judged["failures"]])

    def trajectory(self) -> List[Dict[str, Any]]:
        """Everything that happened, line by line."""
        text = self.sandbox._http.text("GET", f"{self.sandbox._path}/trajectory")
        return [json.loads(line) for line in text.splitlines() if line]

    def close(self) -> None:
        """Deletes the sandbox."""
        self.sandbox.delete(force=True)

    def __enter__(self) -> "Episode":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _rpc(self, server: str, method: str, params: Mapping[str, Any]) -> Dict[str, Any]:
        answer = _post(self.mcp_urls[server], {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            return {"content": [{"text": answer["error"]["message"]}], "tools": []}
        return dict(answer["result"])

    def _perform(self, step: Mapping[str, Any]) -> Dict[str, Any]:
        if "advance" in step:
            return self.sandbox.clock.advance(step["advance"])
        known = {**self._names, "answers": self._answers}
        person = self._names["users"][step["as"]]["access_token"] if "as" in step else None
        url = self.sandbox._http.url
        if "graphql" in step:
            body = {"query": step["graphql"], "variables": _filled(step.get("variables", {}), known)}
            return _post(f"{url}/graphql", body, f"Bearer {person}" if person else str(self._names["api_key"]))
        token = person or self._names["bot_token"]
        return _post(f"{url}/api/{step['call']}", _filled(step.get("args", {}), known), f"Bearer {token}")


def _claimed(server: Server, task: Task, pool: Union[bool, int]) -> Optional[Sandbox]:
    if not pool:
        return None
    text = json.dumps(task.world_document, sort_keys=True, default=str)
    name = f"world-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    try:
        return _with_settings(server.claim(name), task)
    except ApiError as error:
        if error.code != "pool_not_found":
            raise
    with server.create_sandbox(_document(task)) as source:
        size = POOL_SIZE if pool is True else pool
        try:
            server.create_pool(name, source.snapshot()["id"], size, ttl_seconds=3_600)
        except ApiError as error:
            # somebody else made it just now, or there is no room for it
            if error.status != 409:
                raise
            if error.code != "name_taken":
                return None
    return _with_settings(server.claim(name), task)


def _with_settings(sandbox: Sandbox, task: Task) -> Sandbox:
    """A claimed sandbox has the content of the world; what its document sets besides is set here."""
    settings = {name: task.world_document[name] for name in _SETTINGS if name in task.world_document}
    if settings:
        sandbox._http.call("PATCH", sandbox._path, settings)
    return sandbox


def _document(task: Task) -> Dict[str, Any]:
    return {"ttl_seconds": 3_600, "journal": True, **task.world_document}


def _task(document: Mapping[str, Any], worlds: Mapping[str, Any]) -> Task:
    return Task(**document, world_document=worlds[document["world"]])


def _folder(folder: Path) -> Dict[str, Any]:
    def read(file: Path) -> Any:
        text = file.read_text("utf-8")
        if file.suffix == ".json":
            return json.loads(text)
        try:
            import yaml
        except ImportError as error:
            raise ImportError("install pyyaml to load tasks from YAML files") from error
        return yaml.load(text, _loader(yaml))

    def documents(place: Path) -> List[Path]:
        return sorted(file for file in place.glob("*") if file.suffix in (".yaml", ".yml", ".json"))

    worlds = {file.stem: read(file) for file in documents(folder / "worlds")}
    return {"tasks": [read(file) for file in documents(folder)], "worlds": worlds}


def _loader(yaml: Any) -> Any:
    """A loader for the core schema of YAML 1.2, as the server has it: ``on`` and ``2026-06-01`` are texts."""

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        pass

    other = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
    Loader.yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in forms if tag not in other]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver(other[1], re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
    return Loader


def _filled(value: Any, known: Mapping[str, Any]) -> Any:
    """A value in whose texts ``{{path}}`` stands for what is there."""
    if isinstance(value, str):
        return _TEMPLATE.sub(lambda found: _text(_at(known, found.group(1))), value)
    if isinstance(value, list):
        return [_filled(each, known) for each in value]
    return {key: _filled(each, known) for key, each in value.items()} if isinstance(value, dict) else value


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        if isinstance(value, list):
            value = value[int(key)] if key.isdigit() and int(key) < len(value) else None
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def _sentence(failure: Mapping[str, Any]) -> str:
    return str(failure.get("message") or f"something else happened to {failure.get('nothing_else')}")


def _post(url: str, body: Any, authorization: Optional[str] = None) -> Dict[str, Any]:
    """Answers what came back, whatever its status: refusals are for the agent."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if authorization is not None:
        headers["authorization"] = authorization
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            return dict(json.loads(response.read()))
    except urllib.error.HTTPError as error:
        return dict(json.loads(error.read()))
