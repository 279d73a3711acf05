// The integration under test: an urgent issue becomes a message, and gets a comment with a link to it.
import { createServer } from 'node:http';
import { LinearClient } from '@linear/sdk';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { WebClient } from '@slack/web-api';

/**
 * @param env LINEAR_API_URL, LINEAR_API_KEY, SLACK_API_URL and SLACK_BOT_TOKEN
 * @param register registers the URL with the tracker and returns the secret that signs its deliveries
 */
export async function start(env, register) {
  const linear = new LinearClient({ apiUrl: env.LINEAR_API_URL, apiKey: env.LINEAR_API_KEY });
  const slack = new WebClient(env.SLACK_BOT_TOKEN, { slackApiUrl: env.SLACK_API_URL });

  let handler = (request, reply) => reply.writeHead(503).end();
  const server = createServer((request, reply) => handler(request, reply));
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

  const { secret } = await register(linear, `http://127.0.0.1:${server.address().port}/`);
  handler = new LinearWebhookClient(secret).createHandler();
  handler.on('Issue', async ({ action, data }) => {
    if (action !== 'create' || data.priority !== 1) return;
    const { ts } = await slack.chat.postMessage({ channel: 'incidents', text: `${data.identifier}: ${data.title}` });
    await linear.createComment({ issueId: data.id, body: `Told #incidents at ${ts}` });
  });
  return { stop: () => new Promise((closed) => server.close(closed).closeAllConnections()) };
}

/** The one-time set-up, as in production. */
export async function register(linear, url) {
  const secret = 'a-secret-that-only-we-and-the-tracker-know';
  await linear.createWebhook({ url, secret, allPublicTeams: true, resourceTypes: ['Issue'] });
  return { secret };
}
