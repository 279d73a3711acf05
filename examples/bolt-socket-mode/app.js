// The app of ../bolt-http over Socket Mode: it opens a connection and needs no URL that others can reach.
import { App, LogLevel } from '@slack/bolt';

const BUTTON = { type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' } };

/** @param env SLACK_API_URL, SLACK_BOT_TOKEN and SLACK_APP_TOKEN */
export async function start(env) {
  const app = new App({
    token: env.SLACK_BOT_TOKEN,
    appToken: env.SLACK_APP_TOKEN,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: env.SLACK_API_URL },
  });

  app.event('app_mention', async ({ event, say }) => {
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

  await app.start();
  return { stop: () => app.stop() };
}
