import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { ChatClient } from '../support/chat-client.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers, eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import type { WorkspaceBuilder } from '../support/workspace.js';

const refused = (error: string) => ({ ok: false, error });
const running: (() => Promise<unknown>)[] = [];
const SUM = {
  title: 'Add up',
  description: 'Adds two numbers',
  input_parameters: {
    a: { type: 'number', title: 'First', description: 'A number', is_required: true },
    b: { type: 'number' },
  },
  output_parameters: { sum: { type: 'number', title: 'Sum', is_required: true }, note: { type: 'string' } },
};
const manifestWith = (functions: unknown, more: Json = {}): Json => ({
  display_information: { name: 'steps' },
  oauth_config: { scopes: { bot: ['chat:write', 'chat:write.public'] } },
  functions,
  ...more,
});

// docs/reference/chat.md#custom-steps
describe('functions.completeSuccess and functions.completeError', () => {
  const app = useApp();
  closeReceivers();
  afterAll(() => Promise.all(running.splice(0).map((stop) => stop())));

  /** An app with a step, made from its manifest. */
  const made = async (ws: WorkspaceBuilder, manifest: Json): Promise<Json & { bot: ChatClient }> => {
    const admin = await ws.jwtClient({ user: ws.admin });
    const { body, status } = await rest(app, 'POST /apps', { token: admin.token, body: { manifest } });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.warnings).toBeUndefined();
    const bot = new ChatClient(app, body.bot_token, {
      userId: body.bot_user_id,
      appId: body.id,
      botId: body.bot_id,
    });
    return { ...body, bot };
  };

  const setUp = async () => {
    const ws = await app.workspace();
    const plain = await modalApp(app, ws);
    const events = { request_url: plain.far.url, bot_events: ['function_executed'] };
    const own = await made(ws, manifestWith({ sum: SUM }, { settings: { event_subscriptions: events } }));
    const told = (): Json[] =>
      plain.far.received
        .map(({ body }) => (JSON.parse(body) as { event?: Json }).event)
        .filter((event): event is Json => event?.['type'] === 'function_executed');
    const run = (body: Json = {}) =>
      plain.act('run_step', { app_id: own['id'], callback_id: 'sum', inputs: { a: 1 }, ...body });
    const started = async (): Promise<{ id: string; token: string }> => {
      const count = told().length;
      const { body } = await run({ until: 'ack' });
      await eventually(() => told().length > count, 'the event');
      const id = body.result.function_execution_id as string;
      const event = told().find((one) => one['function_execution_id'] === id);
      return { id, token: event?.['bot_access_token'] as string };
    };
    const complete = (id: string, outputs: unknown, bot = own.bot) =>
      bot.call('functions.completeSuccess', { function_execution_id: id, outputs: JSON.stringify(outputs) });
    const fail = (id: string, error: string) =>
      own.bot.call('functions.completeError', { function_execution_id: id, error });
    return { ws, plain, own, told, run, started, complete, fail };
  };

  it('a step reaches its app, which ends it with outputs', async () => {
    const { own, told, run, complete } = await setUp();
    const running = run({ inputs: { a: 1, b: 2 }, wait_ms: 10_000 });
    await eventually(() => told().length === 1, 'the event');
    const [event] = told();
    expect(event).toEqual({
      type: 'function_executed',
      function: {
        id: expect.stringMatching(/^Fn0[0-9A-Z]{9}$/),
        callback_id: 'sum',
        title: 'Add up',
        description: 'Adds two numbers',
        type: 'app',
        input_parameters: [
          { type: 'number', name: 'a', description: 'A number', title: 'First', is_required: true },
          { type: 'number', name: 'b', description: '', title: 'b', is_required: false },
        ],
        output_parameters: [
          { type: 'number', name: 'sum', description: '', title: 'Sum', is_required: true },
          { type: 'string', name: 'note', description: '', title: 'note', is_required: false },
        ],
        app_id: own['id'],
        date_created: expect.any(Number),
        date_updated: expect.any(Number),
        date_deleted: 0,
      },
      inputs: { a: 1, b: 2 },
      function_execution_id: expect.stringMatching(/^Fx0[0-9A-Z]{9}$/),
      workflow_execution_id: expect.stringMatching(/^Wx0[0-9A-Z]{9}$/),
      event_ts: expect.any(String),
      bot_access_token: expect.stringMatching(/^xwfp-[0-9]{12}-[A-Za-z0-9]{24}$/),
    });
    const id = event?.['function_execution_id'] as string;
    expect(await complete(id, { sum: 3 })).toEqual({ ok: true });
    const { body } = await running;
    expect(body).toMatchObject({ timed_out: false, deliveries: [{ kind: 'function_executed', outcome: 'acked' }] });
    expect(body.result).toEqual({ function_execution_id: id, status: 'completed', outputs: { sum: 3 }, error: null });
  });

  it('a step that nobody ends is running, and one may fail', async () => {
    const { told, run, fail } = await setUp();
    const { body } = await run({ wait_ms: 0 });
    const { function_execution_id: id } = body.result;
    expect(body.result).toEqual({ function_execution_id: id, status: 'running', outputs: {}, error: null });
    expect(body.timed_out).toBe(true);
    expect(await fail(id, 'Out of numbers')).toEqual({ ok: true });
    await eventually(() => told().length === 1, 'the first event');
    const second = run({ wait_ms: 10_000 });
    await eventually(() => told().length === 2, 'the second event');
    const next = told()[1]?.['function_execution_id'] as string;
    await fail(next, 'Out of numbers');
    expect((await second).body.result).toEqual({
      function_execution_id: next,
      status: 'failed',
      outputs: {},
      error: 'Out of numbers',
    });
  });

  it("the step's token acts as the bot with its scopes until the step ends, or for a day", async () => {
    const { ws, own, started, complete, fail } = await setUp();
    const { id, token } = await started();
    const step = new ChatClient(app, token, own.bot);
    expect(await step.call('auth.test')).toMatchObject({ ok: true, user_id: own['bot_user_id'] });
    expect(await step.call('chat.postMessage', { channel: ws.general.id, text: 'hi' })).toMatchObject({
      ok: true,
      message: { bot_id: own['bot_id'] },
    });
    expect(await step.call('users.list')).toMatchObject({ error: 'missing_scope', needed: 'users:read' });
    expect(await complete(id, { sum: 1 }, step)).toEqual({ ok: true });
    expect(await step.call('auth.test')).toEqual(refused('token_revoked'));
    const second = await started();
    const revoking = new ChatClient(app, second.token, own.bot);
    expect(await revoking.call('auth.revoke')).toMatchObject({ ok: true, revoked: true });
    expect(await revoking.call('auth.test')).toEqual(refused('token_revoked'));
    // the bot's own token has not ended with it
    expect(await own.bot.call('auth.test')).toMatchObject({ ok: true });
    const other = await started();
    expect(other.token).not.toBe(token);
    const late = new ChatClient(app, other.token, own.bot);
    app.clock.advance(23 * 3_600_000);
    expect(await late.call('auth.test')).toMatchObject({ ok: true });
    app.clock.advance(2 * 3_600_000);
    expect(await late.call('auth.test')).toEqual(refused('token_expired'));
    // the step itself goes on
    expect(await fail(other.id, 'late')).toEqual({ ok: true });
  });

  it('answers each error in the documented order', async () => {
    const { ws, plain, own, started, complete, fail } = await setUp();
    const { id } = await started();
    const call = (method: string, args: Json) => own.bot.call(method, args);
    expect((await call('functions.completeSuccess', { outputs: {} })).error).toBe('invalid_arguments');
    expect((await call('functions.completeSuccess', { function_execution_id: 'x' })).error).toBe('invalid_arguments');
    expect((await call('functions.completeError', { function_execution_id: 'x' })).error).toBe('invalid_arguments');
    expect(await complete('Fx0NOWHERE01', {})).toEqual(refused('function_execution_not_found'));
    expect(await complete(id, { sum: 1 }, plain.bot)).toEqual(refused('function_execution_not_found'));
    expect(await complete(id, { sum: 1 }, await ws.jwtClient())).toEqual(refused('not_allowed_token_type'));
    for (const outputs of [{}, { sum: null }, { sum: 1, other: 2 }])
      expect(await complete(id, outputs)).toEqual(refused('parameter_validation_failed'));
    expect(await fail(id, 'no')).toEqual({ ok: true });
    expect(await complete(id, {})).toEqual(refused('execution_not_in_running_state'));
    expect(await fail(id, 'no')).toEqual(refused('execution_not_in_running_state'));
  });

  it('run_step refuses steps that are not there and inputs that do not fit', async () => {
    const { plain, own } = await setUp();
    const at = { app_id: own['id'], callback_id: 'sum', inputs: { a: 1 } };
    expect(await plain.refused('run_step', { ...at, callback_id: 'toString' })).toEqual([404, 'function_not_found']);
    expect(await plain.refused('run_step', { ...at, app_id: plain.id })).toEqual([404, 'function_not_found']);
    expect(await plain.refused('run_step', { ...at, app_id: 'A0NOWHERE01' })).toEqual([404, 'app_not_found']);
    for (const inputs of [{}, { a: 1, c: 2 }, undefined])
      expect(await plain.refused('run_step', { ...at, inputs })).toEqual([400, 'invalid_inputs']);
    expect((await plain.refused('run_step', { ...at, inputs: [1] }))[0]).toBe(400);
  });

  it('a manifest names what is wrong with its functions', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const functions = {
      one: 1,
      two: { title: '', description: 1, input_parameters: [] },
      three: { title: 'Three', output_parameters: { out: { type: '', is_required: 'yes' } } },
    };
    const { status, body } = await rest(app, 'POST /apps', {
      token: admin.token,
      body: { manifest: manifestWith(functions) },
    });
    expect(status).toBe(400);
    expect(body.message).toEqual([
      'manifest.functions.one must be an object',
      'manifest.functions.two.title must be a string that is not blank',
      'manifest.functions.two.description must be a string',
      'manifest.functions.two.input_parameters must be an object',
      'manifest.functions.three.output_parameters.out.type must be a string that is not blank',
      'manifest.functions.three.output_parameters.out.is_required must be true or false',
    ]);
  });

  it('a Bolt app completes and fails its steps', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    const own = await made(ws, manifestWith({ sum: SUM }));
    const credentials = own['credentials'] as { signing_secret: string };
    const receiver = new HTTPReceiver({ signingSecret: credentials.signing_secret, logLevel: LogLevel.ERROR });
    const bolt = new App({
      token: own['bot_token'] as string,
      receiver,
      logLevel: LogLevel.ERROR,
      clientOptions: { slackApiUrl: `${app.baseUrl}/api/`, retryConfig: { retries: 0 } },
    });
    bolt.function('sum', async ({ client, inputs, complete, fail }) => {
      const { a, b } = inputs as { a: number; b?: number };
      if (b === undefined) return void (await fail({ error: 'One number is no sum' }));
      await client.chat.postMessage({ channel: ws.general.id, text: `${a} and ${b}` });
      await complete({ outputs: { sum: a + b } });
    });
    const listening = (await receiver.start(0)) as unknown as Server;
    running.push(() => receiver.stop() as Promise<unknown>);
    const request_url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/slack/events`;
    await rest(app, 'POST /events/subscribe', {
      token: own.bot.token,
      body: { request_url, events: ['function_executed'] },
    });
    const run = async (inputs: Json): Promise<unknown> =>
      (
        await rest(app, 'POST /act/run_step', {
          token: person.token,
          body: { app_id: own['id'], callback_id: 'sum', inputs, wait_ms: 10_000 },
        })
      ).body.result;
    expect(await run({ a: 2, b: 3 })).toMatchObject({ status: 'completed', outputs: { sum: 5 } });
    expect(await run({ a: 2 })).toMatchObject({ status: 'failed', error: 'One number is no sum' });
  });
});
