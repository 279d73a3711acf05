// The app under test. It has no code for Understudy: its environment says where the API is, as in production.
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';

const BUTTON = { type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' } };

/** The app's behaviour, whichever way its events arrive. */
export function listenTo(app) {
  const seen = new Set();

  app.event('app_mention', async ({ event, body, say }) => {
    // the same event may be delivered twice: its id tells
    if (seen.has(body.event_id)) return;
    seen.add(body.event_id);
    const what = event.text.replace(/^.*deploy /, '');
    await say({ text: `deploy ${what}?`, blocks: [{ type: 'actions', elements: [BUTTON] }] });
  });

  app.command('/deploy', async ({ ack, command, say }) => {
    await ack();
    await say(`deploying ${command.text}`);
  });

  app.action('approve', async ({ ack, body, say }) => {
    await ack();
    await say({ text: `approved by <@${body.user.id}>`, thread_ts: body.message.ts });
  });
}

/** @param env SLACK_API_URL, SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET */
export async function start(env, port = 0) {
  const receiver = new HTTPReceiver({ signingSecret: env.SLACK_SIGNING_SECRET, logLevel: LogLevel.ERROR });
  const app = new App({
    token: env.SLACK_BOT_TOKEN,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: env.SLACK_API_URL },
  });
  listenTo(app);
  const server = await receiver.start(port);
  return { url: `http://127.0.0.1:${server.address().port}/slack/events`, stop: () => receiver.stop() };
}
