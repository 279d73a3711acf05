"""The library against a running server; the fixtures of the plugin are used as a suite uses them."""

import json
import re
import time
import urllib.error
import urllib.request

import pytest

from understudy_testing import ApiError, ExpectationError, Sandbox, Server


def post(sandbox: Sandbox, **body: object) -> dict:
    """The app under test: it answers in a channel."""
    env = sandbox.env("deploy-bot")
    request = urllib.request.Request(
        f"{env['SLACK_API_URL']}chat.postMessage",
        data=json.dumps(body).encode(),
        headers={"authorization": f"Bearer {env['SLACK_BOT_TOKEN']}", "content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


@pytest.fixture
def channel(sandbox: Sandbox) -> str:
    return sandbox.credentials["channels"]["war-room"]


def test_acts_as_a_person_and_waits(sandbox: Sandbox, channel: str) -> None:
    asked = sandbox.as_("alice").post("#war-room", "deploy <@deploy-bot>")
    assert asked["channel"] == channel
    bot = sandbox.credentials["apps"]["deploy-bot"]["bot_user_id"]
    assert sandbox.wait_for_message(channel="#war-room", user="alice")["text"] == f"deploy <@{bot}>"
    answered = post(sandbox, channel=channel, text="deployed", thread_ts=asked["ts"])
    found = sandbox.wait_for_message(channel="#war-room", text=re.compile("DEPLOYED", re.IGNORECASE))
    assert found["ts"] == answered["ts"]
    assert len(sandbox.wait_for_call("chat.postMessage", times=1, where={"ok": True})) == 1
    sandbox.as_("alice").react(asked, "tada")
    sandbox.wait_for_event("reaction_added", where={"reaction": "tada"})
    sandbox.wait_for_idle()


def test_starts_each_test_afresh(sandbox: Sandbox, channel: str) -> None:
    with pytest.raises(ExpectationError) as missed:
        sandbox.wait_for_message(channel="#war-room", timeout_ms=20)
    sandbox.failed = False  # it was meant
    assert "the last entries of the timeline:" in str(missed.value)


def test_lets_calls_fail_for_the_time_of_a_block(sandbox: Sandbox, channel: str) -> None:
    with sandbox.fault("chat.postMessage", "ratelimited", retry_after=1, times=None) as fault:
        assert post(sandbox, channel=channel, text="no")["error"] == "ratelimited"
        assert fault.fired() == 1
    assert post(sandbox, channel=channel, text="yes")["ok"]


def test_is_quiet_or_says_what_was_not(sandbox: Sandbox) -> None:
    sandbox.expect_quiet("message", for_ms=20)


def test_tells_which_message_was_posted_though_none_was_expected(sandbox: Sandbox, channel: str) -> None:
    sandbox.expect_no_message("secret", channel="#war-room")
    assert not sandbox.failed
    post(sandbox, channel=channel, text="the sécret is out")
    sandbox.expect_no_message("deployed", timeout_ms=0)
    with pytest.raises(ExpectationError) as posted:
        sandbox.expect_no_message(re.compile("s.cret"), channel="#war-room")
    assert sandbox.failed
    sandbox.failed = False  # it was meant
    told, _, timeline = str(posted.value).partition("the last entries of the timeline:")
    assert told.startswith("expected no such message to be posted, but there was {")
    assert '"text": "the sécret is out"' in told and channel in told
    assert "chat.postMessage" in timeline


def test_tells_which_call_was_made_though_none_was_expected(sandbox: Sandbox, channel: str) -> None:
    sandbox.expect_no_call("chat.postMessage")
    post(sandbox, channel=channel, text="hello")
    sandbox.expect_no_call("chat.postMessage", where={"ok": False})
    with pytest.raises(ExpectationError) as called:
        sandbox.expect_no_call("chat.postMessage", where={"ok": True})
    sandbox.failed = False  # it was meant
    told, _, timeline = str(called.value).partition("the last entries of the timeline:")
    assert told.startswith("expected no call of chat.postMessage, but there was [{")
    assert '"hello"' in told and "chat.postMessage" in timeline


def test_tells_what_was_not_quiet(sandbox: Sandbox, channel: str) -> None:
    before = sandbox.mark()
    post(sandbox, channel=channel, text="not quiet")
    with pytest.raises(ExpectationError) as loud:
        sandbox.wait_for("quiet", where={"event": "message"}, after=before)
    sandbox.failed = False  # it was meant
    told, _, timeline = str(loud.value).partition("the last entries of the timeline:")
    assert "expected nothing" in told and '"not quiet"' in told
    assert "chat.postMessage" in timeline


def test_waits_for_a_reply_if_it_is_told_how_long(sandbox: Sandbox) -> None:
    alice = sandbox.as_("alice")
    assert alice.post("#war-room", "anybody?", wait_ms=50)["timed_out"]
    assert not alice.post("#war-room", "no matter")["timed_out"]


def test_clicks_and_types_on_an_app_home(sandbox: Sandbox) -> None:
    alice = sandbox.as_("alice")
    for act in (
        lambda: alice.click({"home": "deploy-bot"}, "again"),
        lambda: alice.suggest({"home": "deploy-bot"}, "city", "Ber"),
    ):
        with pytest.raises(ApiError) as refused:
            act()
        # the app was found by its name; it has published no Home
        assert refused.value.code == "view_not_found"
    with pytest.raises(ApiError) as gone:
        alice.click("V0000000000", "again")
    assert gone.value.code == "view_not_found"


def test_moves_the_clock(sandbox: Sandbox) -> None:
    frozen = sandbox.clock.freeze()
    later = sandbox.clock.advance("1h")
    assert frozen["frozen"] and later["now"] > frozen["now"]
    assert sandbox.clock.reset()["offset_ms"] == 0


def test_goes_back_to_a_snapshot(sandbox: Sandbox, channel: str) -> None:
    before = sandbox.snapshot("before")
    post(sandbox, channel=channel, text="done")
    sandbox.reset(before)
    sandbox.mark()
    sandbox.note("after the reset", {"n": 1})
    assert sandbox.timeline(kind="note")[-1]["text"] == "after the reset"


def test_refuses_what_the_server_refuses(understudy: Server) -> None:
    with pytest.raises(ApiError) as refused:
        understudy.create_sandbox(users=["A B"])
    assert refused.value.status == 400
    with understudy.create_sandbox(users=["alice"]) as own:
        assert own.env()["LINEAR_API_KEY"] == own.credentials["api_key"]
        application = own.credentials["tracker_apps"]["default-app"]
        assert own.env()["LINEAR_CLIENT_ID"] == application["client_id"]
        assert own.env()["LINEAR_CLIENT_SECRET"] == application["client_secret"]
        assert own.env()["LINEAR_TOKEN_URL"].endswith("/oauth/token")
        with pytest.raises(KeyError):
            own.env("nobody")
    with understudy.create_sandbox(urls="vendor") as own:
        assert own.env()["SLACK_AUTHORIZE_URL"] == "https://slack.com/oauth/v2/authorize"
        assert own.env()["LINEAR_TOKEN_URL"] == "https://api.linear.app/oauth/token"


def test_makes_sandboxes_in_which_the_same_calls_have_the_same_answers(understudy: Server) -> None:
    posted = []
    for _ in range(2):
        clock = {"now": "2026-03-01T09:00:00Z", "frozen": True}
        with understudy.create_sandbox(id_space="own", deterministic=True, clock=clock, users=["alice"]) as own:
            own.clock.set("2026-03-01T10:00:00Z", frozen=True, tick_ms=1000)
            posted.append({**own.as_("alice").post("#general", "one"), "waited_ms": 0})
            assert own.clock.get()["now"] == "2026-03-01T10:00:01.000Z"
    assert posted[0] == posted[1]


def test_claims_sandboxes_that_are_ready_in_a_pool(understudy: Server, sandbox: Sandbox) -> None:
    with understudy.create_pool(f"python-{sandbox.id.lower()}", sandbox.snapshot()["id"], size=2, refill=False) as pool:
        while pool.state()["ready"] < 2:
            time.sleep(0.05)
        with pool.claim(name="rollout", labels={"step": "1"}) as claimed:
            assert "war-room" in claimed.credentials["channels"]
            assert claimed.id != sandbox.id
            assert pool.state()["claimed"] == 1
        with understudy.claim(pool.name) as another:
            assert another.as_("alice").post("#war-room", "mine alone")["channel"]
        pool.change(size=1)
    with pytest.raises(ApiError):
        pool.state()
