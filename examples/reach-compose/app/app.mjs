// An app as it runs in production: it knows the vendors' hosts and nothing else.
const token = process.env.SLACK_BOT_TOKEN;
const posted = await fetch('https://slack.com/api/chat.postMessage', {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ channel: '#general', text: 'Hello from a container' }),
});
const asked = await fetch('https://api.linear.app/graphql', {
  method: 'POST',
  headers: { authorization: process.env.LINEAR_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ viewer { name } }' }),
});
process.stdout.write(`${(await posted.json()).ok} ${(await asked.json()).data.viewer.name}\n`);
