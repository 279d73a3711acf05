import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';
import { FROM_MANIFEST, WHOLE } from '../support/whole-document.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];

/** Whether a schema describes more than "any value". */
function saysSomething(schema: Any): boolean {
  return schema !== undefined && (schema.type !== 'object' || Object.keys(schema.properties ?? {}).length > 0);
}

/** The same schema without additional properties. */
function closed(schema: Any): Any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return schema.properties && schema.additionalProperties === undefined
    ? { ...parts, additionalProperties: false }
    : parts;
}

/** Paths of the fields that occur in none of these values. */
function* unused(schema: Any, values: Any[], path: string): Generator<string> {
  for (const one of schema.oneOf ?? []) yield* unused(one, values, path);
  if (schema.items)
    yield* unused(
      schema.items,
      values.flatMap((value) => (Array.isArray(value) ? value : [])),
      `${path}[]`,
    );
  for (const [key, field] of Object.entries<Any>(schema.properties ?? {})) {
    const found = values.flatMap((value) => (value?.[key] === undefined ? [] : [value[key]]));
    const at = path === '' ? key : `${path}.${key}`;
    if (found.length === 0) yield at;
    else yield* unused(field, found, at);
  }
}

/** docs/reference/sandboxes.md: clients are generated from this description. */
describe('the OpenAPI description of the sandbox routes', () => {
  const app = useApp();
  let document: Any;
  let sandbox: TestSandbox;
  const operations = (): { path: string; verb: string; operation: Any }[] =>
    Object.entries(document.paths as Record<string, Any>)
      .filter(([path]) => path.startsWith('/api/sandboxes'))
      .flatMap(([path, verbs]) =>
        VERBS.filter((verb) => verbs[verb] !== undefined).map((verb) => ({ path, verb, operation: verbs[verb] })),
      );
  const checks = new Map<string, ValidateFunction>();
  const ajv = new Ajv({ strict: false, validateFormats: false });

  beforeAll(async () => {
    document = await (await fetch(`${app.baseUrl}/api/docs-json`)).json();
    sandbox = await TestSandbox.make(app);
  });

  /** Calls a route and validates its answer against the description. */
  async function held(operationId: string, path: string, body?: object): Promise<Answer> {
    const found = operations().find(({ operation }) => operation.operationId === operationId);
    if (!found) throw new Error(`no operation ${operationId}`);
    const answer = await sandbox.control(found.verb.toUpperCase(), path, body);
    const described = found.operation.responses[answer.status] ?? found.operation.responses.default;
    const check =
      checks.get(`${operationId} ${answer.status}`) ?? ajv.compile(described.content['application/json'].schema);
    checks.set(`${operationId} ${answer.status}`, check);
    expect([operationId, check(answer.body), check.errors]).toEqual([operationId, true, null]);
    // the fields of the answer are described, not merely permitted as additional properties
    const { properties } = described.content['application/json'].schema;
    expect(Object.keys(answer.body).filter((key) => properties[key] === undefined)).toEqual([]);
    return answer;
  }

  it('names each operation once, with its answers and errors', () => {
    const names = operations().map(({ operation }) => operation.operationId as string);
    expect(names.length).toBeGreaterThan(40);
    expect(new Set(names).size).toBe(names.length);
    for (const { operation } of operations()) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
      const [status, answer] =
        Object.entries(operation.responses as Record<string, Any>).find(([code]) => code < '300') ?? [];
      const [content] = Object.values((answer?.content ?? {}) as Record<string, Any>);
      expect([operation.operationId, status, saysSomething(content?.schema)]).toEqual([
        operation.operationId,
        expect.stringMatching(/^20[012]$/),
        true,
      ]);
      const [refusal] = Object.values(operation.responses.default.content as Record<string, Any>);
      expect(Object.keys(refusal.schema.properties)).toContain('message');
    }
  });

  it('gives each parameter and body a type', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters as Any[];
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name as string)).toEqual(
        expect.arrayContaining(inPath),
      );
      for (const { schema, name } of parameters) expect([name, typeof schema?.type]).toEqual([name, 'string']);
      const body = operation.requestBody?.content?.['application/json']?.schema;
      if (body) expect([operation.operationId, saysSomething(body)]).toEqual([operation.operationId, true]);
    }
  });

  it('describes each field of a seed document, and no other', async () => {
    const { operation } = operations().find((each) => each.operation.operationId === 'createSandbox') as Any;
    expect(Object.keys(operation.requestBody.content)).toEqual(['application/json', 'application/yaml']);
    const { schema } = operation.requestBody.content['application/json'];
    const check = ajv.compile(closed(schema));
    expect([check(WHOLE), check.errors]).toEqual([true, null]);
    expect([...unused(schema, [WHOLE, FROM_MANIFEST], '')]).toEqual(['from', 'pool']);
    for (const bad of [
      { users: [{ name: 'a', nickname: 'b' }] },
      { channels: [{}] },
      { ttl_seconds: 1 },
      { users: -1 },
    ]) {
      expect([bad, check(bad)]).toEqual([bad, false]);
    }
    const headers = { 'x-admin-token': app.settings.adminToken as string, 'content-type': 'application/json' };
    const post = async (document: object): Promise<Any> => {
      const init = { method: 'POST', headers, body: JSON.stringify(document) };
      const answer = await fetch(`${app.baseUrl}/api/sandboxes?strict=true`, init);
      const body = (await answer.json()) as Any;
      expect(answer.status, JSON.stringify(body)).toBe(201);
      return body;
    };
    const made = await post(WHOLE);
    const answered = ajv.compile(operation.responses['201'].content['application/json'].schema);
    expect([answered(made), answered.errors]).toEqual([true, null]);
    await post(FROM_MANIFEST);
    const control = { 'x-sandbox-token': String(made.credentials.control_token) };
    const exported = await fetch(`${app.baseUrl}/api/sandboxes/self/seed?ids=true`, { headers: control });
    expect([check(await exported.json()), check.errors]).toEqual([true, null]);
  });

  it('matches what the routes answer', async () => {
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'hello' });
    await sandbox.graphql('{ viewer { id } }');
    await held('getSandbox', '');
    await held('changeSandbox', '', { labels: { a: 'b' } });
    await held('changeSandbox', '', { labels: 1 });
    await held('renewControlToken', '/control-token');
    await held('actAs', '/act-as', { user: 'alice' });
    await held('readTimeline', '/timeline');
    await held('readTimeline', '/timeline?view=summary&limit=2');
    await held('readTimelineAsHar', '/timeline.har');
    const note = await held('addNote', '/timeline', { text: 'a note', data: { a: 1 } });
    await held('readTimelineEntry', `/timeline/${note.body.id}`);
    await held('markTimeline', '/timeline/mark');
    await held('wait', '/wait', { for: 'message', where: { text: 'hello' }, after: 'start' });
    await held('wait', '/wait', { for: 'call', where: { method: 'pins.add' }, after: 'start', timeout_ms: 0 });
    const fault = await held('createFault', '/faults', {
      on: { method: 'pins.*', where: { args: { a: 1 } } },
      fault: { type: 'http', status: 503, headers: { a: 'b' } },
      times: null,
      probability: 0.5,
    });
    await held('listFaults', '/faults');
    await held('deleteFault', `/faults/${fault.body.id}`);
    await held('deleteFaults', '/faults');
    const rule = await held('createDeliveryRule', '/delivery-rules', {
      on: { event: 'message' },
      do: { type: 'reorder', window: 2 },
    });
    await held('listDeliveryRules', '/delivery-rules');
    await held('deleteDeliveryRule', `/delivery-rules/${rule.body.id}`);
    await held('deleteDeliveryRules', '/delivery-rules');
    const inbox = await held('createInbox', '/inboxes', { name: 'far', answers: [{ status: 500, body: 'no' }, {}] });
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url: inbox.body.url, events: ['message'] });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'sent' });
    await held('wait', '/wait', { for: 'delivery', after: 'start' });
    await held('listDeliveries', '/deliveries');
    await held('flushDeliveries', '/deliveries/flush');
    await held('releaseDeliveries', '/deliveries/release', {});
    const { deliveries } = (await held('listDeliveries', '/deliveries?state=done')).body;
    await held('redeliver', `/deliveries/${deliveries[0].id}/redeliver`);
    await held('redeliver', '/deliveries/1/redeliver');
    await held('readTimeline', '/timeline?kind=delivery,received');
    await held('listInboxes', '/inboxes');
    await held('getInbox', `/inboxes/${inbox.body.id}`);
    await held('deleteInbox', `/inboxes/${inbox.body.id}`);
    await held('deleteInboxes', '/inboxes');
    await held('takeSnapshot', '/snapshots', { name: 'here' });
    await held('listSnapshots', '/snapshots');
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'more' });
    await held('listChanges', '/changes?since=here');
    await held('assertChanges', '/assert', {
      since: 'here',
      expect: [
        { added: 'message', where: { text: 'less' } },
        { called: 'pins.add', count: { $lte: 0 } },
      ],
      nothing_else: ['message'],
    });
    await held('getClock', '/clock');
    await held('setClock', '/clock', { sign_with: 'sandbox' });
    await held('advanceClock', '/clock/advance', { by: '1m' });
    await held('resetClock', '/clock');
    await held('listLimits', '/limits');
    await held('resetLimits', '/limits/reset');
    await held('resetSandbox', '/reset', { to: 'here' });
    await held('deleteSnapshot', '/snapshots/here');
    await held('clearTimeline', '/timeline');
  });
});
