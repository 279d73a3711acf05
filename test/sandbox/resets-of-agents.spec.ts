import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver } from '../support/receiver.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

const TASK = {
  entity_type: 'slack#/entities/task',
  entity_payload: { attributes: { title: { text: 'Mend the pump' } } },
  external_ref: { id: 'T-1' },
  url: 'https://tasks.example.com/T-1',
};
const DIALOG = { title: 'Order', callback_id: 'order', elements: [{ type: 'text', label: 'From', name: 'from' }] };
const BUTTON = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };

const app = useApp();
closeReceivers();

/** A sandbox with an agent that has a step, and somebody who has used everything that an app is given for a while. */
async function setUp() {
  const far = await receiver();
  const manifest = {
    display_information: { name: 'helper' },
    oauth_config: { scopes: { bot: ['chat:write', 'im:history', 'search:read.public', 'app_mentions:read'] } },
    features: { agent_view: { agent_description: 'Helps' } },
    functions: { sum: { title: 'Add up' } },
    settings: {
      interactivity: { request_url: far.url },
      event_subscriptions: {
        request_url: far.url,
        bot_events: ['message.im', 'function_executed', 'entity_details_requested', 'agent_session_stopped'],
      },
    },
  };
  const made = await makeSandbox(app, {
    rate_limit_multiplier: 0,
    users: ['ann'],
    apps: [{ name: 'helper', manifest }],
    channels: [{ name: 'ops', members: ['ann', 'helper'], messages: [{ as: 'ann', text: 'the pump drips' }] }],
  });
  const { credentials } = made.body;
  const { app_id: appId, bot_token: botToken } = credentials.apps.helper;
  const call = async (method: string, args: Json, token: string = botToken): Promise<Json> =>
    (await send(app, 'POST', `/api/${method}`, bearer(token), args)).body;
  const ann = bearer(credentials.users.ann.access_token);
  const act = async (verb: string, body: Json): Promise<Json> => {
    const answer = await send(app, 'POST', `/api/act/${verb}`, ann, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.result;
  };
  const heard = async (type: string, isMeant: (event: Json) => boolean = () => true): Promise<Json> => {
    const find = (): Json | undefined =>
      far.received
        .filter(({ body }) => body.startsWith('{'))
        .map(({ body }) => (JSON.parse(body) as { event?: Json }).event)
        .findLast((event) => event?.['type'] === type && isMeant(event));
    await eventually(() => find() !== undefined, type);
    return find() as Json;
  };
  const screen = async (): Promise<Json> => (await send(app, 'GET', '/api/act/screen', ann)).body;
  const snapshot = (name: string): Promise<Answer> =>
    send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name });
  const reset = async (to?: string): Promise<void> => {
    const answer = await send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, to === undefined ? {} : { to });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  };
  return { far, made, appId, call, act, heard, screen, snapshot, reset };
}

// docs/reference/sandboxes.md#reset
it('action tokens, triggers, step tokens, dialogs and details end with a reset, also to a snapshot made after them', async () => {
  const { appId, call, act, heard, screen, snapshot, reset } = await setUp();
  const posted = await call('chat.postMessage', {
    channel: '#ops',
    text: 'here',
    blocks: [{ type: 'actions', elements: [BUTTON] }],
    metadata: { entities: [TASK] },
  });
  const at = { channel: posted['channel'] as string, message_ts: posted['ts'] as string };

  await act('message', { channel: '@helper', text: 'What drips?', until: 'ack' });
  const { assistant_thread: thread } = await heard('message');
  const search = { query: 'drips', action_token: thread.action_token };
  const click = async (): Promise<string> => (await act('click', { ...at, action_id: 'go' }))['trigger_id'];
  const open = async (): Promise<string> => (await act('open_entity', { ...at, until: 'ack' }))['trigger_id'];
  // a trigger lives for 3 s
  expect(await call('dialog.open', { trigger_id: await click(), dialog: DIALOG })).toEqual({ ok: true });
  const [unused, presented, asked] = [await click(), await open(), await open()];
  await act('run_step', { app_id: appId, callback_id: 'sum', until: 'ack' });
  const { bot_access_token: stepToken, function_execution_id: execution } = await heard('function_executed');
  // all of it works
  expect(await call('assistant.search.context', search)).toMatchObject({ ok: true });
  expect(await call('auth.test', {}, stepToken)).toMatchObject({ ok: true });
  const latest = await open();
  expect(await call('entity.presentDetails', { trigger_id: latest, metadata: TASK })).toEqual({ ok: true });
  expect(await screen()).toMatchObject({ dialogs: [{ title: 'Order' }], details: [{ trigger_id: latest }] });
  expect((await snapshot('later')).status).toBe(201);

  await reset('later');
  expect(await screen()).toMatchObject({ dialogs: [], details: [] });
  expect(await call('assistant.search.context', search)).toMatchObject({ error: 'invalid_action_token' });
  expect(await call('dialog.open', { trigger_id: unused, dialog: DIALOG })).toMatchObject({ error: 'invalid_trigger' });
  for (const trigger_id of [presented, asked])
    expect(await call('entity.presentDetails', { trigger_id, metadata: TASK })).toMatchObject({
      error: 'invalid_trigger_id',
    });
  expect(await call('auth.test', {}, stepToken)).toMatchObject({ error: 'token_revoked' });
  // the step itself is a row of the snapshot: it is running, and its app may end it
  const end = { function_execution_id: execution, outputs: {} };
  expect(await call('functions.completeSuccess', end, stepToken)).toMatchObject({ error: 'token_revoked' });
  expect(await call('functions.completeSuccess', end)).toEqual({ ok: true });
  expect(await call('functions.completeSuccess', end)).toMatchObject({ error: 'execution_not_in_running_state' });

  // what is given afterwards works
  await act('run_step', { app_id: appId, callback_id: 'sum', until: 'ack' });
  // an app that was slow to answer hears of the first one again
  const next = await heard('function_executed', (event) => event['function_execution_id'] !== execution);
  expect(await call('auth.test', {}, next['bot_access_token'])).toMatchObject({ ok: true });

  await reset('later');
  expect(await call('functions.completeError', { function_execution_id: execution, error: 'x' })).toEqual({ ok: true });
  await reset();
  expect(await call('functions.completeError', { function_execution_id: execution, error: 'x' })).toMatchObject({
    error: 'function_execution_not_found',
  });
});

it('a step token is neither on the timeline nor in the store', async () => {
  const { made, appId, act, heard } = await setUp();
  await act('run_step', { app_id: appId, callback_id: 'sum', until: 'ack' });
  const { bot_access_token: token } = await heard('function_executed');
  const journal = async (): Promise<Answer> => send(app, 'GET', '/api/sandboxes/self/timeline?limit=200', made.ctl);
  const shown = /bot_access_token[\\"]*:[\\"]*\[redacted\]/;
  await eventually(async () => shown.test(JSON.stringify((await journal()).body)), 'the delivery on the timeline');
  const text = JSON.stringify((await journal()).body);
  expect(text).not.toContain(token);
  const secret = (token as string).slice(-24);
  const { dataSource } = app.store;
  const tables: { name: string }[] = await dataSource.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const [{ count }] = await dataSource.query(
      `SELECT count(*)::int AS count FROM ${name} r WHERE to_jsonb(r)::text LIKE $1`,
      [`%${secret}%`],
    );
    if (count > 0) holding.push(name);
  }
  expect(holding).toEqual([]);
});
