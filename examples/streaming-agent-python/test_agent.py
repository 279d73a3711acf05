WAIT = {"wait_ms": 10_000}


def test_streams_the_answer_of_the_model_into_the_thread(sandbox, model):
    model.pieces = ["The deploy is ", "**done**", ", since noon."]
    asked = sandbox.as_("alice").open_dm("helper", "Is it out?", **WAIT)
    assert model.asked == ["Is it out?"]
    [answer] = asked["replies"]["messages"]
    assert (answer["text"], answer["streaming_state"]) == ("The deploy is *done*, since noon.", "completed")
    assert [block["type"] for block in answer["blocks"]] == ["rich_text", "context_actions"]
    sandbox.wait_for_call("assistant.threads.setStatus", where={"ok": True})


def test_thanks_for_feedback(sandbox, model):
    model.pieces = ["Perhaps."]
    alice = sandbox.as_("alice")
    [answer] = alice.open_dm("helper", "Will it rain?", **WAIT)["replies"]["messages"]
    pressed = alice.feedback(answer, "negative", until="reply", **WAIT)
    assert [said["text"] for said in pressed["replies"]["ephemeral"]] == ["Thank you. I will do better."]


def test_offers_its_prompts(sandbox, model):
    model.pieces = ["It was short."]
    taken = sandbox.as_("alice").prompt("helper", "Sum up", **WAIT)
    assert model.asked == ["Sum up the week"]
    assert [said["text"] for said in taken["replies"]["messages"]] == ["It was short."]


def test_says_so_when_its_stream_expired_in_silence(sandbox, model):
    with sandbox.fault("chat.appendStream", "expire_stream"):
        model.pieces = ["One, ", "two, ", "three."]
        sandbox.as_("alice").open_dm("helper", "Count", until="none")
        sandbox.wait_for_message(text="I was cut short: message_not_in_streaming_state.")
