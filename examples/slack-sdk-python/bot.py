"""The bot under test. It knows nothing of Understudy: where the API is comes from its environment, as in production."""

import time

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError


class StandupBot:
    def __init__(self, env):
        self.client = WebClient(token=env["SLACK_BOT_TOKEN"], base_url=env["SLACK_API_URL"])

    def ask(self, channel):
        """Posts the question of the day; answers its ts."""
        return self._post(channel=channel, text="What will you do today?")["ts"]

    def summarize(self, channel, ts):
        """Reads the answers in the thread and posts them as one message."""
        replies = self.client.conversations_replies(channel=channel, ts=ts)["messages"][1:]
        lines = [f"<@{reply['user']}>: {reply['text']}" for reply in replies]
        return self._post(channel=channel, text="\n".join(lines) or "Nobody answered.")["ts"]

    def _post(self, **message):
        try:
            return self.client.chat_postMessage(**message)
        except SlackApiError as error:
            if error.response["error"] != "ratelimited":
                raise
            time.sleep(int(error.response.headers["Retry-After"]))
            return self.client.chat_postMessage(**message)
