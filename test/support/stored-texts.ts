import type { ServerProcess } from './server-process.js';

/** The texts of all messages of a channel, newest first, as `conversations.history` pages through them. */
export async function storedTexts(server: ServerProcess, token: string, channel: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor = ''; ;) {
    const page = (await server.call('conversations.history', token, { channel, limit: 999, cursor })) as {
      messages: { text: string }[];
      response_metadata: { next_cursor: string };
    };
    texts.push(...page.messages.map(({ text }) => text));
    cursor = page.response_metadata.next_cursor;
    if (cursor === '') return texts;
  }
}
