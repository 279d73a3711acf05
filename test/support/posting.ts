import type { TestApp } from './app.js';
import type { ChatClient } from './chat-client.js';

/** A bot and a user in a channel of their own, and functions that post there. */
export async function posting(app: TestApp) {
  const ws = await app.workspace();
  const bot = await ws.bot();
  const ann = await ws.userClient({ user: await ws.user() });
  const channel = await ws.channel({ members: [bot, ann] });
  const post = (by: ChatClient, args: object) => by.call('chat.postMessage', { channel: channel.id, ...args });
  const history = async () => (await ann.call('conversations.history', { channel: channel.id })).messages;
  return { ws, bot, ann, channel, post, history };
}
