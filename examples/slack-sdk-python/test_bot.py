def test_gathers_what_people_answer(sandbox, bot, channel):
    ts = bot.ask(channel)
    question = sandbox.wait_for_message(channel="#team", text="What will you do today?")
    for name, plan in (("alice", "the checkout"), ("bob", "tests")):
        sandbox.as_(name).reply({"channel": channel, "ts": question["ts"]}, plan)
    bot.summarize(channel, ts)
    sandbox.assert_(
        expect=[
            {"added": "message", "where": {"channel": "#team", "thread_ts": ts}, "count": 3},
            {"added": "message", "where": {"text": {"$matches": "the checkout\\n.*tests$"}}, "count": 1},
        ]
    )


def test_says_when_nobody_answered(sandbox, bot, channel):
    bot.summarize(channel, bot.ask(channel))
    sandbox.wait_for_message(channel="#team", text="Nobody answered.")


def test_posts_again_after_a_rate_limit(sandbox, bot, channel):
    with sandbox.fault("chat.postMessage", "ratelimited", retry_after=1) as fault:
        bot.ask(channel)
        assert fault.fired() == 1
    assert len(sandbox.wait_for_call("chat.postMessage", times=2)) == 2
