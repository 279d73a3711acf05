"""A person of a sandbox."""

from urllib.parse import quote
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ._http import Http, without_none

Message = Mapping[str, Any]
View = Union[str, Mapping[str, Any]]
#: Where a button or a menu is: a message, a view or its id, or ``{"home": app}`` with the app's name or id.
Target = Union[str, Mapping[str, Any]]


class Person:
    """A person of a sandbox; each method acts in that person's name."""

    def __init__(
        self,
        http: Http,
        token: Callable[[], str],
        with_ids: Callable[[str], str],
        app_id: Callable[[str], str],
        name: str,
    ) -> None:
        self._http = http
        self._token = token
        self._with_ids = with_ids
        self._app_id = app_id
        self.name = name

    def post(
        self,
        channel: str,
        text: str,
        thread_ts: Optional[str] = None,
        blocks: Optional[List[Any]] = None,
        until: Optional[str] = None,
        wait_ms: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Posts a message. ``<@name>`` in the text becomes a mention.

        With ``wait_ms`` it waits for the app's reply, which is in ``replies`` then; without it returns at once.
        """
        return self._act(
            "message",
            channel=channel,
            text=self._with_ids(text),
            thread_ts=thread_ts,
            blocks=blocks,
            until=until or ("none" if wait_ms is None else "reply"),
            wait_ms=wait_ms,
        )

    def reply(self, message: Message, text: str, **options: Any) -> Dict[str, Any]:
        return self.post(message["channel"], text, thread_ts=message["ts"], **options)

    def edit(self, message: Message, text: str) -> Dict[str, Any]:
        return self._act("edit", channel=message["channel"], ts=message["ts"], text=self._with_ids(text))

    def remove(self, message: Message) -> Dict[str, Any]:
        return self._act("delete", channel=message["channel"], ts=message["ts"])

    def react(self, message: Message, name: str) -> Dict[str, Any]:
        return self._act("react", channel=message["channel"], ts=message["ts"], name=name)

    def unreact(self, message: Message, name: str) -> Dict[str, Any]:
        return self._act("unreact", channel=message["channel"], ts=message["ts"], name=name)

    def join(self, channel: str) -> Dict[str, Any]:
        return self._act("join", channel=channel)

    def leave(self, channel: str) -> Dict[str, Any]:
        return self._act("leave", channel=channel)

    def invite(self, channel: str, users: List[str]) -> Dict[str, Any]:
        return self._act("invite", channel=channel, users=users)

    def open_dm(self, app: str, text: str, **options: Any) -> Dict[str, Any]:
        """Sends the app a direct message."""
        return self.post(app if app.startswith("@") else f"@{app}", text, **options)

    def command(
        self, channel: str, command: str, text: str = "", until: Optional[str] = None, wait_ms: Optional[int] = None
    ) -> Dict[str, Any]:
        return self._act("command", channel=channel, command=command, text=text, until=until, wait_ms=wait_ms)

    def click(
        self,
        target: Target,
        action_id: str,
        value: Optional[str] = None,
        block_id: Optional[str] = None,
        until: Optional[str] = None,
        wait_ms: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Clicks a button or chooses from a menu: of a message, of the modal on top, or of an app's Home.

        ``value`` is the option's value.
        """
        return self._act(
            "click",
            **self._place_of(target),
            action_id=action_id,
            value=value,
            block_id=block_id,
            until=until,
            wait_ms=wait_ms,
        )

    def suggest(self, target: Target, action_id: str, typed: str, block_id: Optional[str] = None) -> Dict[str, Any]:
        """Types into an external select; ``options`` of the result are those that the app suggests."""
        return self._act("suggest", **self._place_of(target), action_id=action_id, value=typed, block_id=block_id)

    def submit(self, view: View, values: Optional[Mapping[str, Any]] = None, **options: Any) -> Dict[str, Any]:
        """Fills in a modal and submits it."""
        return self._act("submit", view_id=_view_id(view), values=dict(values or {}), **options)

    def type(self, view: View, values: Mapping[str, Any]) -> Dict[str, Any]:
        return self._act("type", view_id=_view_id(view), values=dict(values))

    def close(self, view: View, clear: Optional[bool] = None) -> Dict[str, Any]:
        return self._act("close", view_id=_view_id(view), clear=clear)

    def shortcut(self, callback_id: str, message: Optional[Message] = None, **options: Any) -> Dict[str, Any]:
        on = {"channel": message["channel"], "message_ts": message["ts"]} if message else {}
        return self._act("shortcut", callback_id=callback_id, **on, **options)

    def home(self, app: Optional[str] = None, **options: Any) -> Dict[str, Any]:
        """Opens the Home of an app, by name or id; without it that of the default app."""
        return self._act("home", app_id=None if app is None else self._app_id(app), **options)

    def feedback(self, message: Message, value: str, **options: Any) -> Dict[str, Any]:
        """Presses one of the two buttons of a message that ask how an answer was: ``positive`` or ``negative``."""
        return self._act("feedback", channel=message["channel"], message_ts=message["ts"], value=value, **options)

    def prompt(self, app: str, title: Union[str, int], **options: Any) -> Dict[str, Any]:
        """Takes up a prompt that an agent suggests, by its title or its number from 1: posts its message."""
        return self._act("prompt", app_id=self._app_id(app), title=title, **options)

    def stop(self, thread: Message, **options: Any) -> Dict[str, Any]:
        """Stops what an agent does in a thread, named by its first message."""
        return self._act("stop", channel=thread["channel"], thread_ts=thread["ts"], **options)

    def create_issue(self, team: str, title: str, **fields: Any) -> Dict[str, Any]:
        """Makes an issue of the tracker, everything by its name: ``state``, ``assignee``, ``labels`` and so on.

        With a ``delegate`` it waits for what ends the agent's turn; ``session_id`` is the session that began.
        """
        return self._act("issue_create", team=team, title=title, **fields)

    def update_issue(self, issue: str, **fields: Any) -> Dict[str, Any]:
        """Changes an issue, named by its identifier, its id or the ref of a seed document; None takes a value away."""
        return self._send("issue_update", {"issue": issue, **fields})

    def comment(
        self,
        on: Union[str, Mapping[str, str]],
        body: str,
        parent: Optional[str] = None,
        mention: Optional[str] = None,
        **options: Any,
    ) -> Dict[str, Any]:
        """Comments on an issue, or on ``{"project": …}``, ``{"document": …}`` or ``{"update": …}``.

        ``mention`` names an agent that is asked by it.
        """
        place = {"issue": on} if isinstance(on, str) else dict(on)
        return self._act("comment", **place, body=body, parent=parent, mention=mention, **options)

    def edit_comment(self, comment: str, body: str) -> Dict[str, Any]:
        return self._act("comment_edit", comment=comment, body=body)

    def remove_comment(self, comment: str) -> Dict[str, Any]:
        return self._act("comment_delete", comment=comment)

    def resolve_comment(self, comment: str) -> Dict[str, Any]:
        return self._act("resolve", comment=comment)

    def unresolve_comment(self, comment: str) -> Dict[str, Any]:
        return self._act("unresolve", comment=comment)

    def react_to(self, what: Mapping[str, str], emoji: str) -> Dict[str, Any]:
        """Reacts to ``{"issue": …}`` or ``{"comment": …}`` of the tracker."""
        return self._act("issue_react", **what, emoji=emoji)

    def prompt_session(self, session: str, body: str, **options: Any) -> Dict[str, Any]:
        """Says something to an agent in its session, and waits for what ends its turn."""
        return self._act("session_prompt", session=session, body=body, **options)

    def stop_session(self, session: str, **options: Any) -> Dict[str, Any]:
        return self._act("session_stop", session=session, **options)

    def select_in_session(self, session: str, value: str, **options: Any) -> Dict[str, Any]:
        """Chooses one of the values that an agent offers."""
        return self._act("session_select", session=session, value=value, **options)

    def tracker_screen(self, issue: Optional[str] = None) -> Dict[str, Any]:
        """What this person sees of an issue of the tracker now: its sessions of agents, relations, comments."""
        return self._signed_in().call("GET", "/act/tracker" + ("" if issue is None else f"?issue={quote(issue)}"))

    def screen(self) -> Dict[str, Any]:
        """What this person sees of apps now: modals, Homes, ephemeral messages."""
        return self._signed_in().call("GET", "/act/screen")

    def access_token(self) -> str:
        return self._token()

    def _act(self, verb: str, **body: Any) -> Dict[str, Any]:
        return self._send(verb, without_none(**body))

    def _send(self, verb: str, body: Mapping[str, Any]) -> Dict[str, Any]:
        acted = self._signed_in().call("POST", f"/act/{verb}", body)
        # the result's fields are included so that it can be passed on as a message or a view
        return {**(acted.get("result") or {}), **acted}

    def _place_of(self, target: Target) -> Dict[str, Any]:
        if isinstance(target, str):
            return {"view_id": target}
        if "home" in target:
            return {"home": True, "app_id": self._app_id(target["home"])}
        if "ts" in target:
            return {"channel": target["channel"], "message_ts": target["ts"]}
        return {"view_id": target["id"]}

    def _signed_in(self) -> Http:
        return self._http.with_headers({"authorization": f"Bearer {self._token()}"})


def _view_id(view: View) -> str:
    return view if isinstance(view, str) else view["id"]
