// The agent under test. It has no code for Understudy: its environment says where the API is, as in production, and its
// language model is whatever answers a question piece by piece.
import { App, LogLevel } from '@slack/bolt';

/** A language model. In production this wraps a vendor's streaming call. */
export interface Model {
  answer(question: string): AsyncIterable<string>;
}

const button = (text: string, value: string) => ({ text: { type: 'plain_text' as const, text }, value });

/** What stands below each answer. */
const FEEDBACK = {
  type: 'context_actions' as const,
  elements: [
    {
      type: 'feedback_buttons' as const,
      action_id: 'feedback',
      positive_button: button('Good answer', 'good'),
      negative_button: button('Bad answer', 'bad'),
    },
  ],
};

/** @param env SLACK_API_URL, SLACK_BOT_TOKEN and SLACK_APP_TOKEN */
export async function start(env: Record<string, string>, model: Model) {
  const app = new App({
    token: env['SLACK_BOT_TOKEN'],
    appToken: env['SLACK_APP_TOKEN'],
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: env['SLACK_API_URL'] },
  });

  app.message(async ({ message, client, context }) => {
    if (message.subtype !== undefined || message.channel_type !== 'im') return;
    const { channel, ts, thread_ts = ts, user, text = '' } = message;
    const thread = { channel, thread_ts };
    await client.assistant.threads.setStatus({ channel_id: channel, thread_ts, status: 'is thinking…' });
    const stream = client.chatStream({
      ...thread,
      recipient_team_id: context.teamId as string,
      recipient_user_id: user,
      buffer_size: 1,
    });
    try {
      for await (const piece of model.answer(text)) await stream.append({ markdown_text: piece });
      await stream.stop({ blocks: [FEEDBACK] });
    } catch (error) {
      // what was said so far stays; a stream that expired is not told of
      const reason = (error as { data?: { error?: string } }).data?.error ?? 'the model failed';
      await client.chat.postMessage({ ...thread, text: `I was cut short: ${reason}.` });
    }
  });

  app.action('feedback', async ({ ack, action, body, client }) => {
    await ack();
    const value = (action as { value?: string }).value;
    const channel = body.channel?.id as string;
    const { thread_ts } = (body as { message: { thread_ts?: string } }).message;
    const text = value === 'good' ? 'Glad to hear it.' : 'Thank you. I will do better.';
    await client.chat.postEphemeral({ channel, user: body.user.id, text, ...(thread_ts && { thread_ts }) });
  });

  await app.start();
  return { stop: () => app.stop() };
}
