import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

/** docs/reference/sandboxes.md#faults, #deliveries */
describe('what a fault or a delivery rule names', () => {
  const app = useApp();
  const drop = { type: 'drop' };

  it('has to be there: a misspelt name is refused with the nearest one, and nothing is made', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = (on: object) => sandbox.control('POST', '/faults', { on, fault: drop });
    const rule = (on: object) => sandbox.control('POST', '/delivery-rules', { on, do: drop });
    await sandbox.send('POST', '/api/apps', sandbox.person, {
      manifest: { display_information: { name: 'deploy-bot' }, features: { bot_user: { display_name: 'deploy-bot' } } },
    });
    const refusals: [Promise<{ status: number; body: { message: string } }>, string][] = [
      [fault({ method: 'chat.postMesage' }), 'on.method: unknown_method "chat.postMesage" (chat.postMessage?)'],
      [fault({ method: 'conversation.*' }), 'on.method: unknown_method "conversation.*" (conversations.*?)'],
      [fault({ method: 'issueCrate' }), 'on.method: unknown_method "issueCrate" (issueCreate?)'],
      [fault({ method: 'webhook.incoming' }), 'on.method: unknown_method "webhook.incoming" (webhooks.incoming?)'],
      [fault({ method: 'POST /api/app' }), 'on.method: unknown_method "POST /api/app" (POST /api/apps?)'],
      [fault({ method: 'nothing of the kind' }), 'on.method: unknown_method "nothing of the kind"'],
      [fault({ method: 'GET /api/sandboxes' }), 'on.method: unknown_method "GET /api/sandboxes"'],
      [fault({ method: '*', app: 'deploybot' }), 'on.app: unknown_app "deploybot" (deploy-bot?)'],
      [rule({ event: 'reaction_add' }), 'on.event: unknown_event "reaction_add" (reaction_added?)'],
      [rule({ event: 'reaction_aded' }), 'on.event: unknown_event "reaction_aded" (reaction_added?)'],
      [rule({ event: 'issue.create' }), 'on.event: unknown_event "issue.create" (issue.created?)'],
      [rule({ kind: 'sockets' }), 'on.kind: unknown_kind "sockets" (socket?)'],
      [rule({ target: 'http://127.0.0.1:9/none' }), 'on.target: unknown_target "http://127.0.0.1:9/none"'],
    ];
    for (const [answer, message] of refusals) {
      expect(await answer).toMatchObject({ status: 400, body: { statusCode: 400, message, error: 'Bad Request' } });
    }
    expect((await sandbox.control('GET', '/faults')).body.faults).toEqual([]);
    expect((await sandbox.control('GET', '/delivery-rules')).body.delivery_rules).toEqual([]);
  });

  it('may be a method, a family, a root field, a route by its declaration or its path; any event, kind and target', async () => {
    const sandbox = await TestSandbox.make(app);
    const url = 'http://127.0.0.1:9/hook';
    const made = await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] });
    const { id } = made.body as { id: string };
    const methods = ['pins.add', 'pins.*', 'viewer', 'issueCreate', 'oauth.v2.access', 'webhooks.incoming', '*'];
    const routes = ['POST /api/apps', 'POST /api/webhooks/outgoing', 'PUT /api/apps/A0123456789/manifest'];
    for (const method of [...methods, ...routes, 'PUT /api/apps/:id/manifest']) {
      const { status, body } = await sandbox.control('POST', '/faults', { on: { method }, fault: drop });
      expect([method, status, body.message]).toEqual([method, 201, undefined]);
    }
    const ons = [{ event: 'message' }, { event: 'block_actions' }, { event: 'issue.created' }, { kind: 'command' }];
    for (const on of [...ons, { target: url }, { target: id }]) {
      const { status, body } = await sandbox.control('POST', '/delivery-rules', { on, do: drop });
      expect([on, status, body.message]).toEqual([on, 201, undefined]);
    }
  });
});
