"""A sandbox: its own workspace and organization, and the calls a test makes on it."""

import json
import re
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._errors import ApiError, ExpectationError
from ._http import Http, without_none
from ._matchers import to_matcher
from ._person import Person

Snapshot = Union[str, Mapping[str, Any]]

#: How long an expectation that something does not happen waits before it holds, in milliseconds.
_NOT_WITHIN_MS = 200


class Removable:
    """Something that was set up for a test; a ``with`` block removes it at its end."""

    def __init__(self, http: Http, path: str, id: str) -> None:
        self._http = http
        self._path = path
        self.id = id

    def remove(self) -> None:
        _ignoring_absence(lambda: self._http.call("DELETE", f"{self._path}/{self.id}"))

    def __enter__(self) -> "Removable":
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class Fault(Removable):
    """A fault that makes calls fail."""

    def fired(self) -> int:
        faults = self._http.call("GET", self._path)["faults"]
        return next((fault["fired"] for fault in faults if fault["id"] == self.id), 0)

    def __enter__(self) -> "Fault":
        return self


class Deliveries:
    """Deliveries to apps: hold them, release them in another order, send them again."""

    def __init__(self, http: Http, path: str) -> None:
        self._http = http
        self._path = path
        self._holds: List[Removable] = []

    def hold(self, **on: Any) -> Removable:
        """Holds deliveries until ``release``."""
        rule = self.rule(on, {"type": "hold"})
        self._holds.append(rule)
        return rule

    def rule(self, on: Mapping[str, Any], do: Mapping[str, Any], times: Optional[int] = None, skip: int = 0) -> Removable:
        """A delivery rule of any kind, until it is removed, unless ``times`` says how often."""
        path = f"{self._path}/delivery-rules"
        body = {"on": to_matcher(dict(on)), "do": dict(do), "times": times, "skip": skip}
        return Removable(self._http, path, self._http.call("POST", path, body)["id"])

    def release(
        self,
        order: str = "as_is",
        ids: Optional[List[str]] = None,
        target: Optional[str] = None,
        count: Optional[int] = None,
        random_seed: Optional[int] = None,
        keep_holding: bool = False,
    ) -> int:
        """Releases held deliveries and stops holding, unless ``keep_holding``. Returns how many were released."""
        if not keep_holding:
            while self._holds:
                self._holds.pop().remove()
        body = without_none(order=order, ids=ids, target=target, count=count, random_seed=random_seed)
        return int(self._http.call("POST", f"{self._path}/deliveries/release", body)["released"])

    def flush(self, timeout_ms: Optional[int] = None) -> None:
        self._http.call("POST", f"{self._path}/deliveries/flush", without_none(timeout_ms=timeout_ms))

    def redeliver(self, id: str) -> None:
        self._http.call("POST", f"{self._path}/deliveries/{id}/redeliver")

    def list(self, **query: Any) -> List[Dict[str, Any]]:
        """The newest deliveries with their attempts."""
        query.setdefault("order", "desc")
        return list(self._http.call("GET", f"{self._path}/deliveries", query=query)["deliveries"])


class Clock:
    """The clock of a sandbox."""

    def __init__(self, http: Http, path: str) -> None:
        self._http = http
        self._path = path

    def get(self) -> Dict[str, Any]:
        return self._http.call("GET", self._path)

    def set(self, now: str, frozen: Optional[bool] = None, tick_ms: Optional[int] = None) -> Dict[str, Any]:
        """``tick_ms``: how far a frozen clock goes on with each answered call."""
        return self._http.call("PUT", self._path, without_none(now=now, frozen=frozen, tick_ms=tick_ms))

    def freeze(self) -> Dict[str, Any]:
        return self._http.call("PUT", self._path, {"frozen": True})

    def advance(self, by: Union[str, int, float]) -> Dict[str, Any]:
        """Advances by ``"1h30m"`` or seconds. Returns when everything that became due has happened."""
        body = {"by": by} if isinstance(by, str) else {"seconds": by}
        return self._http.call("POST", f"{self._path}/advance", body)

    def reset(self) -> Dict[str, Any]:
        return self._http.call("DELETE", self._path)


class Sandbox:
    def __init__(self, server: Http, made: Mapping[str, Any], keep_on_failure: bool) -> None:
        self.id: str = made["id"]
        self.team_id: str = made["team_id"]
        self.credentials: Dict[str, Any] = made["credentials"]
        #: True once a wait or an assertion has failed here.
        self.failed = False
        self._keep_on_failure = keep_on_failure
        self._is_vendor = made.get("urls") == "vendor"
        self._http = server.with_headers({"x-sandbox-token": self.credentials["control_token"]})
        self._path = f"/sandboxes/{self.id}"
        self._tokens: Dict[str, Tuple[str, float]] = {}
        self.deliveries = Deliveries(self._http, self._path)
        self.clock = Clock(self._http, f"{self._path}/clock")

    def env(self, app: Optional[str] = None) -> Dict[str, str]:
        """The environment variables of an app, by its name; without a name those of the default app.

        Apps are installed under the vendors' names where the document says ``urls: vendor``.
        """
        own = self.credentials if app is None else self.credentials["apps"].get(app)
        if own is None:
            raise KeyError(f"this sandbox has no app {app}; it has {', '.join(self.credentials['apps'])}")
        tracker = self.credentials.get("tracker_apps", {}).get("default-app", {})
        url = self._http.url
        chat, consent, token = (
            ("https://slack.com", "https://linear.app", "https://api.linear.app")
            if self._is_vendor
            else (url, url, url)
        )
        return without_none(
            SLACK_API_URL=f"{url}/api/",
            SLACK_BOT_TOKEN=own["bot_token"],
            SLACK_USER_TOKEN=own.get("user_token"),
            SLACK_APP_TOKEN=own.get("app_token"),
            SLACK_SIGNING_SECRET=own["signing_secret"],
            SLACK_CLIENT_ID=own.get("client_id"),
            SLACK_CLIENT_SECRET=own.get("client_secret"),
            SLACK_AUTHORIZE_URL=f"{chat}/oauth/v2/authorize",
            LINEAR_API_URL=f"{url}/graphql",
            LINEAR_API_KEY=self.credentials["api_key"],
            LINEAR_CLIENT_ID=tracker.get("client_id"),
            LINEAR_CLIENT_SECRET=tracker.get("client_secret"),
            LINEAR_AUTHORIZE_URL=f"{consent}/oauth/authorize",
            LINEAR_TOKEN_URL=f"{token}/oauth/token",
        )

    def as_(self, user: str) -> Person:
        """A person of the sandbox, by name or id."""
        return Person(self._http, lambda: self._token_of(user), self._with_ids, self._app_id, user)

    def wait_for_message(
        self, text: Any = None, timeout_ms: Optional[int] = None, after: Optional[str] = None, **where: Any
    ) -> Dict[str, Any]:
        """Waits for a message; a plain ``text`` is contained in it, a compiled pattern matches it."""
        if text is not None:
            where["text"] = {"$contains": text} if isinstance(text, str) else text
        entry = self.wait_for("message", where=where, timeout_ms=timeout_ms, after=after)[0]
        return entry.get("data") or entry

    def wait_for_call(
        self,
        method: str,
        times: Optional[int] = None,
        where: Optional[Mapping[str, Any]] = None,
        timeout_ms: Optional[int] = None,
        after: Optional[str] = None,
    ) -> List[Dict[str, Any]]:
        wanted = {"method": method, **(where or {})}
        return self.wait_for("call", where=wanted, count=times, timeout_ms=timeout_ms, after=after)

    def wait_for_event(
        self,
        event: str,
        where: Optional[Mapping[str, Any]] = None,
        count: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        after: Optional[str] = None,
    ) -> List[Dict[str, Any]]:
        wanted: Dict[str, Any] = {"event": event}
        if where:
            wanted["data"] = dict(where)
        return self.wait_for("event", where=wanted, count=count, timeout_ms=timeout_ms, after=after)

    def wait_for_issue(self, timeout_ms: Optional[int] = None, **where: Any) -> List[Dict[str, Any]]:
        return self.wait_for("issue", where=where, timeout_ms=timeout_ms)

    def wait_for_idle(self, timeout_ms: Optional[int] = None) -> None:
        self.wait_for("idle", timeout_ms=timeout_ms)

    def expect_quiet(
        self, event: str, for_ms: Optional[int] = None, where: Optional[Mapping[str, Any]] = None
    ) -> None:
        """Expects that nothing of this kind happens for a while."""
        wanted: Dict[str, Any] = {"event": event}
        if where:
            wanted["data"] = dict(where)
        self.wait_for("quiet", where=wanted, quiet_ms=for_ms)

    def expect_no_message(self, text: Any = None, timeout_ms: int = _NOT_WITHIN_MS, **where: Any) -> None:
        """Expects that no such message was posted since the last mark, nor is within ``timeout_ms``.

        Takes what ``wait_for_message`` takes. Raises ExpectationError with the message and the timeline.
        """
        self._expect_none(
            lambda: self.wait_for_message(text, timeout_ms, **where), "expected no such message to be posted"
        )

    def expect_no_call(
        self, method: str, where: Optional[Mapping[str, Any]] = None, timeout_ms: int = _NOT_WITHIN_MS
    ) -> None:
        """Expects that the method was not called since the last mark, nor is within ``timeout_ms``.

        Raises ExpectationError with the call and the timeline.
        """
        self._expect_none(
            lambda: self.wait_for_call(method, where=where, timeout_ms=timeout_ms), f"expected no call of {method}"
        )

    def wait_for(
        self,
        what: str,
        where: Optional[Mapping[str, Any]] = None,
        count: Optional[int] = None,
        quiet_ms: Optional[int] = None,
        timeout_ms: Optional[int] = None,
        after: Optional[str] = None,
    ) -> List[Dict[str, Any]]:
        """Raises ExpectationError with the closest entries."""
        matcher = None if where is None else to_matcher(dict(where))
        body = without_none(where=matcher, count=count, quiet_ms=quiet_ms, timeout_ms=timeout_ms, after=after)
        answer = self._http.call("POST", f"{self._path}/wait", {"for": what, **body})
        if answer["matched"]:
            return list(answer["entries"])
        wanted = "" if matcher is None else f" with {json.dumps(matcher)}"
        if what == "quiet":
            head = f"expected nothing{wanted}, but there was {json.dumps(answer['entries'][:1])}"
        else:
            found = len(answer["entries"])
            head = f"waited {answer['waited_ms']} ms for {count or 1} {what}{wanted}, found {found}"
        raise self._failure([head, *_closest(answer.get("closest"))])

    def install(self, app: Optional[str] = None, as_: Optional[str] = None, **options: Any) -> Dict[str, Any]:
        """Installs an app by OAuth as a person with a browser does: by name, id or client id, or by its own install URL
        (``start``). ``installed`` of the answer says whether the app redeemed its code."""
        if app is not None:
            is_client_id = re.fullmatch(r"[0-9]{12}\.[0-9]{13}|[0-9a-f]{32}", app) is not None
            options["client_id" if is_client_id else "app"] = app
        if as_ is not None:
            options["as"] = as_
        return self._http.call("POST", f"{self._path}/install", options)

    def expire_token(self, token: Optional[str] = None, **which: Any) -> int:
        """Ends a token, or those of an app of a kind (``app``, ``kind``, ``user``), as their time would."""
        body = which if token is None else {"token": token}
        return int(self._http.call("POST", f"{self._path}/tokens/expire", body)["count"])

    def fault(
        self,
        method: str,
        type: str,
        times: Optional[int] = 1,
        skip: int = 0,
        app: Optional[str] = None,
        caller: Optional[str] = None,
        where: Optional[Mapping[str, Any]] = None,
        probability: Optional[float] = None,
        **details: Any,
    ) -> Fault:
        """Makes calls fail; ``times=None`` until it is removed. A ``with`` block removes it."""
        path = f"{self._path}/faults"
        matcher = None if where is None else to_matcher(dict(where))
        body = {
            "on": without_none(method=method, app=app, caller=caller, where=matcher),
            "fault": {"type": type, **details},
            "times": times,
            "skip": skip,
            **without_none(probability=probability),
        }
        return Fault(self._http, path, self._http.call("POST", path, body)["id"])

    def clear_faults(self) -> None:
        self._http.call("DELETE", f"{self._path}/faults")

    def snapshot(self, name: Optional[str] = None) -> Dict[str, Any]:
        return self._http.call("POST", f"{self._path}/snapshots", without_none(name=name))

    def reset(self, to: Optional[Snapshot] = None) -> None:
        """Resets the sandbox to the baseline, or to a snapshot."""
        self._http.call("POST", f"{self._path}/reset", without_none(to=_snapshot_id(to)))

    def seed(self, baseline: Optional[bool] = None, **document: Any) -> Dict[str, Any]:
        """Adds data to the sandbox; ``refs`` of the answer maps names to what was made."""
        return self._http.call("POST", f"{self._path}/seed", document, {"baseline": baseline})

    def changes(self, since: Optional[Snapshot] = None) -> Dict[str, Any]:
        """The net changes since the baseline, or since a snapshot."""
        return self._http.call("GET", f"{self._path}/changes", query={"since": _snapshot_id(since)})

    def assert_(
        self,
        expect: Optional[List[Mapping[str, Any]]] = None,
        nothing_else: Optional[List[str]] = None,
        since: Optional[Snapshot] = None,
    ) -> None:
        """Raises ExpectationError with the server's message for each expectation that does not hold."""
        body = without_none(since=_snapshot_id(since), nothing_else=nothing_else)
        answer = self._http.call("POST", f"{self._path}/assert", {"expect": to_matcher(list(expect or [])), **body})
        if answer["passed"]:
            return
        lines: List[str] = []
        for failure in answer["failures"]:
            other = f"something else happened to {failure.get('nothing_else')}: {json.dumps(failure.get('unexpected'))}"
            lines.append(failure.get("message") or other)
            lines.extend(_closest(failure.get("closest")))
        raise self._failure(lines)

    def mark(self) -> str:
        """Marks the timeline; later waits start here. Returns the cursor."""
        return str(self._http.call("POST", f"{self._path}/timeline/mark")["cursor"])

    def note(self, text: str, data: Optional[Mapping[str, Any]] = None) -> None:
        """Writes a note on the timeline, such as the name of the test."""
        self._http.call("POST", f"{self._path}/timeline", {"text": text, **without_none(data=data)})

    def timeline(self, **query: Any) -> List[Dict[str, Any]]:
        """Timeline entries since the last mark (a reset, a seed, ``mark``), or ``since`` another point, or ``start``."""
        if not {"after", "before", "since"} & query.keys():
            query["since"] = "mark"
        if query.get("since") == "start":
            del query["since"]
        return list(self._http.call("GET", f"{self._path}/timeline", query=query)["entries"])

    def inbox(self, name: Optional[str] = None, answers: Optional[List[Mapping[str, Any]]] = None) -> Dict[str, Any]:
        """Makes a URL of the server that accepts any request and records it on the timeline."""
        return self._http.call("POST", f"{self._path}/inboxes", without_none(name=name, answers=answers))

    def link(self, user: Optional[str] = None, to: Optional[str] = None) -> Optional[str]:
        """A one-time link into the web UI, or None if the server has none."""
        try:
            return str(self._http.call("POST", f"{self._path}/ui-link", without_none(user=user, to=to))["url"])
        except ApiError:
            return None

    @property
    def is_kept(self) -> bool:
        """Whether the sandbox is kept for inspection after a failure."""
        return self.failed and self._keep_on_failure

    def delete(self, force: bool = False) -> None:
        """Deletes the sandbox, unless it is kept after a failure."""
        if self.is_kept and not force:
            return
        _ignoring_absence(lambda: self._http.call("DELETE", self._path))

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: Any) -> None:
        self.delete()

    def _expect_none(self, find: Callable[[], Any], otherwise: str) -> None:
        failed_before = self.failed
        try:
            found = find()
        except ExpectationError:
            self.failed = failed_before
            return
        raise self._failure([f"{otherwise}, but there was {json.dumps(found, ensure_ascii=False)}"])

    def _failure(self, lines: List[str]) -> ExpectationError:
        self.failed = True
        try:
            last = self.timeline(since="start", order="desc", limit=10, view="summary")
        except ApiError:
            last = []
        lines = [*lines, "the last entries of the timeline:", *[f"  {_line(entry)}" for entry in reversed(last)]]
        if self._keep_on_failure:
            lines.append(f"the sandbox is kept: {self.id}")
        link = self.link(to=f"/w/{self.team_id}/inspect?since=mark")
        if link is not None:
            lines.append(f"look: {link}")
        return ExpectationError("\n".join(lines))

    def _token_of(self, user: str) -> str:
        known = self._tokens.get(user)
        if known and known[1] > time.time():
            return known[0]
        answer = self._http.call("POST", f"{self._path}/act-as", {"user": user})
        token = str(answer["access_token"])
        self._tokens[user] = (token, time.time() + answer["expires_in"] * 0.9)
        return token

    def _app_id(self, app: str) -> str:
        return str(self.credentials["apps"].get(app, {}).get("app_id", app))

    def _with_ids(self, text: str) -> str:
        users, apps, channels = (self.credentials[kind] for kind in ("users", "apps", "channels"))

        def mention(found: "re.Match[str]") -> str:
            name = found.group(1)
            id = users.get(name, {}).get("user_id") or apps.get(name, {}).get("bot_user_id")
            return f"<@{id}>" if id else found.group(0)

        def link(found: "re.Match[str]") -> str:
            id = channels.get(found.group(1))
            return f"<#{id}>" if id else found.group(0)

        return re.sub(r"<#([^>|\s]+)>", link, re.sub(r"<@([a-z0-9][a-z0-9._-]*)>", mention, text))


def _snapshot_id(snapshot: Optional[Snapshot]) -> Optional[str]:
    return snapshot if snapshot is None or isinstance(snapshot, str) else str(snapshot["id"])


def _closest(closest: Optional[List[Mapping[str, Any]]]) -> List[str]:
    lines = []
    for number, each in enumerate(closest or [], 1):
        lines.append(f"closest {number}:")
        for differs in each.get("differs", []):
            expected, actual = json.dumps(differs.get("expected")), json.dumps(differs.get("actual"))
            lines.append(f"  {differs['path']}: expected {expected}, was {actual}")
    return lines


def _line(entry: Mapping[str, Any]) -> str:
    what = entry.get("method") or entry.get("event") or entry.get("text") or ""
    outcome = "ok" if entry.get("ok") is True else entry.get("error") or entry.get("status") or ""
    return f"{entry['wall']} {entry['kind']} {entry.get('summary') or f'{what} {outcome}'}".rstrip()


def _ignoring_absence(call: Any) -> None:
    try:
        call()
    except ApiError as error:
        if error.status != 404:
            raise
