"""The agent under test, with nothing but the standard library. It knows nothing of Understudy: its environment says where
the API is, as in production, and its language model is whatever answers a question piece by piece."""

import hashlib
import hmac
import json
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def button(text, value):
    return {"text": {"type": "plain_text", "text": text}, "value": value}


# what stands below each answer
FEEDBACK = {
    "type": "context_actions",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": button("Good answer", "good"),
            "negative_button": button("Bad answer", "bad"),
        }
    ],
}


class SlackError(Exception):
    pass


class Agent:
    """Answers direct messages at its ``url``.

    ``env`` has SLACK_API_URL, SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET; ``model`` is called with a question and yields
    pieces of the answer.
    """

    def __init__(self, env, model):
        self.env = env
        self.model = model
        agent = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                answer = agent.receive(self.headers, body)
                self.send_response(401 if answer is None else 200)
                self.send_header("content-type", "text/plain")
                self.end_headers()
                self.wfile.write((answer or "").encode())

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/slack/events"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def receive(self, headers, body):
        """The answer to a request; None: it is not from Slack."""
        if not self._is_signed(headers, body):
            return None
        if headers.get_content_type() == "application/json":
            call = json.loads(body)
        else:
            call = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
        if call["type"] == "url_verification":
            return call["challenge"]
        # Slack waits three seconds, a model takes longer
        handle = self._event if call["type"] == "event_callback" else self._action
        threading.Thread(target=handle, args=(call,), daemon=True).start()
        return ""

    def _is_signed(self, headers, body):
        sent = headers.get("x-slack-request-timestamp", "0")
        if abs(time.time() - int(sent)) > 300:
            return False
        signed = b"v0:" + sent.encode() + b":" + body
        digest = hmac.new(self.env["SLACK_SIGNING_SECRET"].encode(), signed, hashlib.sha256).hexdigest()
        return hmac.compare_digest(f"v0={digest}", headers.get("x-slack-signature", ""))

    def _event(self, call):
        event = call["event"]
        if event["type"] != "message" or "subtype" in event or "bot_id" in event or event["channel_type"] != "im":
            return
        thread = {"channel": event["channel"], "thread_ts": event.get("thread_ts", event["ts"])}
        self._call(
            "assistant.threads.setStatus",
            channel_id=thread["channel"],
            thread_ts=thread["thread_ts"],
            status="is thinking…",
        )
        recipient = {"recipient_user_id": event["user"], "recipient_team_id": call["team_id"]}
        try:
            stream = self._call("chat.startStream", **thread, **recipient)
            at = {"channel": stream["channel"], "ts": stream["ts"]}
            for piece in self.model(event["text"]):
                self._call("chat.appendStream", **at, markdown_text=piece)
            self._call("chat.stopStream", **at, blocks=[FEEDBACK])
        except SlackError as error:
            # what was said so far stays; a stream that expired is not told of
            self._call("chat.postMessage", **thread, text=f"I was cut short: {error}.")

    def _action(self, call):
        [action] = call["actions"]
        text = "Glad to hear it." if action["value"] == "good" else "Thank you. I will do better."
        place = {"channel": call["channel"]["id"], "thread_ts": call["message"].get("thread_ts")}
        self._call("chat.postEphemeral", **place, user=call["user"]["id"], text=text)

    def _call(self, method, **arguments):
        request = urllib.request.Request(
            self.env["SLACK_API_URL"] + method,
            json.dumps(arguments).encode(),
            {
                "authorization": f"Bearer {self.env['SLACK_BOT_TOKEN']}",
                "content-type": "application/json; charset=utf-8",
            },
        )
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
        if not answer["ok"]:
            raise SlackError(answer["error"])
        return answer
