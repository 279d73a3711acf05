import { LinearClient, RatelimitedLinearError } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

/** An agent with a session on an issue, and how to make calls of its sandbox fail. */
async function agentAtWork(app: ReturnType<typeof useApp>) {
  const { body, ctl } = await makeSandbox(app, {
    users: [{ name: 'alice' }],
    tracker: {
      teams: [
        {
          key: 'ENG',
          issues: [{ title: 'Fix', ref: 'fix', sessions: [{ app: 'helper', as: 'alice', status: 'active' }] }],
        },
      ],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://helper.example/'],
          webhook_url: 'http://127.0.0.1:9/',
          webhook_resource_types: ['AgentSessionEvent'],
          installed: { actor: 'app', scopes: ['read', 'write', 'app:assignable'] },
        },
      ],
    },
  });
  const accessToken: string = body.credentials.tracker_apps.helper.access_token;
  const client = new LinearClient({ accessToken, apiUrl: `${app.baseUrl}/graphql` });
  const agentSessionId = (await client.agentSessions()).nodes[0]!.id;
  return {
    accessToken,
    client,
    say: (text: string) => client.createAgentActivity({ agentSessionId, content: { type: 'response', body: text } }),
    said: async () => {
      const { nodes } = await (await client.agentSession(agentSessionId)).activities();
      return nodes.map(({ content }) => ('body' in content ? content.body : '')).toReversed();
    },
    fault: async (method: string, fault: object) => {
      const made = await send(app, 'POST', '/api/sandboxes/self/faults', ctl, { on: { method }, fault });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
    },
  };
}

// docs/reference/sandboxes.md#faults
describe('faults of what agents and uploads call', () => {
  const app = useApp();

  it('agentActivityCreate is refused, limited, lost or done twice, once each', async () => {
    const { say, said, fault } = await agentAtWork(app);
    await fault('agentActivityCreate', { type: 'error', error: 'internal_error' });
    await expect(say('refused')).rejects.toThrow();
    await fault('agentActivityCreate', { type: 'ratelimited', retry_after: 7 });
    await expect(say('limited')).rejects.toBeInstanceOf(RatelimitedLinearError);
    await fault('agentActivityCreate', { type: 'http', status: 502, body: 'bad gateway' });
    await expect(say('away')).rejects.toThrow();
    expect(await said()).toEqual([]);
    await fault('agentActivityCreate', { type: 'lose_answer', how: 'http' });
    await expect(say('lost')).rejects.toThrow();
    await fault('agentActivityCreate', { type: 'duplicate' });
    expect((await say('twice')).success).toBe(true);
    expect((await say('once')).success).toBe(true);
    expect(await said()).toEqual(['lost', 'twice', 'twice', 'once']);
  });

  it('fileUpload is refused, limited or lost, and a retry has an address of its own', async () => {
    const { accessToken, client, fault } = await agentAtWork(app);
    const upload = () => client.fileUpload('text/plain', 'log.txt', 5);
    await fault('fileUpload', { type: 'error', error: 'internal_error' });
    await expect(upload()).rejects.toThrow();
    await fault('fileUpload', { type: 'ratelimited', retry_after: 7 });
    await expect(upload()).rejects.toBeInstanceOf(RatelimitedLinearError);
    await fault('fileUpload', { type: 'lose_answer', how: 'http' });
    await expect(upload()).rejects.toThrow();
    await fault('fileUpload', { type: 'duplicate' });
    const { uploadUrl, assetUrl } = (await upload()).uploadFile!;
    const sent = await fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: new TextEncoder().encode('hello'),
    });
    expect(sent.status).toBe(200);
    const read = await fetch(assetUrl, { headers: bearer(accessToken) });
    expect([read.status, await read.text()]).toEqual([200, 'hello']);
  });
});
