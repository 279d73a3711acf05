import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';
import { eventually } from '../../support/receiver.js';
import { UnfinishedRequest } from '../../support/unfinished-request.js';

const MIB = 1024 * 1024;
const YAML = { 'content-type': 'application/yaml' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** A mapping of many keys. */
const keys = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}: 1\n`).join('');

/** docs/reference/limits.md#bodies, docs/reference/control-plane.md#apps */
describe('the neighbour is served', () => {
  const server = useAttacked();

  it('while strangers send documents, which nobody parses', async () => {
    const body = keys(80_000);
    await server.neighbourIsServed(async () => {
      for (let n = 0; n < 10; n++) {
        for (const path of ['/api/sandboxes', '/api/sandboxes/self/seed']) {
          const { status, ms } = await server.send(path, { headers: YAML, body });
          expect(status).toBe(401);
          expect(ms).toBeLessThan(1_000);
        }
      }
    });
  });

  it('while a tenant sends documents of many keys, and each of them is answered', async () => {
    const { control } = await server.sandbox();
    await server.neighbourIsServed(async () => {
      for (const count of [400, 20_000, 60_000]) {
        const headers = { ...control, ...YAML };
        const unique = await server.send('/api/sandboxes/self/seed', { headers, body: keys(count) });
        // a machine under load may need longer than the time of a document
        expect([200, 503]).toContain(unique.status);
        const twice = await server.send('/api/sandboxes/self/seed', { headers, body: `${keys(400)}k7: 2\n` });
        expect(twice.body.message).toEqual(['line 401: Map keys must be unique']);
      }
    });
  });

  it('while the last bytes of forty large bodies of strangers do not arrive', async () => {
    const start = Buffer.alloc(33 * MIB - 1, 'a');
    await server.neighbourIsServed(
      async () => {
        const open: UnfinishedRequest[] = [];
        try {
          for (const [path, headers] of [
            ['/api/sandboxes', YAML],
            ['/upload/v1/nobody', {}],
            ['/api/chat.postMessage', { 'content-type': 'application/x-www-form-urlencoded' }],
            ['/api/auth/login', JSON_TYPE],
          ] as const) {
            for (let n = 0; n < 10; n++) {
              open.push(await UnfinishedRequest.send(server.url, { path, headers, start, length: start.length + 1 }));
            }
          }
          const statuses = await Promise.all(open.map(async (request) => (await request.answer()).status));
          // a connection may end while the rest of its body is sent
          for (const status of statuses) expect([0, 200, 401, 404, 413]).toContain(status);
        } finally {
          for (const request of open) request.end();
        }
      },
      { mib: 96 },
    );
  });

  it('while a tenant holds back the last byte of twelve large bodies: 503 beyond its address’s share', async () => {
    const { control } = await server.sandbox();
    const start = Buffer.alloc(31 * MIB, '{');
    const headers = { ...control, ...JSON_TYPE };
    await server.neighbourIsServed(async () => {
      const open = await Promise.all(
        Array.from({ length: 12 }, () =>
          UnfinishedRequest.send(server.url, {
            path: '/api/sandboxes/self/seed',
            headers,
            start,
            length: start.length + 1,
          }),
        ),
      );
      const answered: number[] = [];
      for (const request of open) void request.answer().then(({ status }) => answered.push(status));
      try {
        await eventually(() => answered.length >= 10, 'there is room for two of them');
        for (const status of answered) expect([0, 503]).toContain(status);
      } finally {
        for (const request of open) request.end();
      }
    });
    // what they held is free again
    const after = await server.send('/api/sandboxes/self/seed', { headers: control, body: { users: 1 } });
    expect(after.status).toBe(200);
  });

  it('while a tenant calls methods with arguments without number', async () => {
    const { bot } = await server.sandbox();
    const form = Array.from({ length: 150_000 }, (_, i) => `a${i}=1`).join('&');
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    await server.neighbourIsServed(async () => {
      for (const [type, body] of [
        ['application/x-www-form-urlencoded', form],
        ['multipart/form-data; boundary=x', `${part.repeat(30_000)}--x--\r\n`],
        ['application/json', JSON.stringify(Object.fromEntries(new URLSearchParams(form)))],
      ] as const) {
        const answer = await server.send('/api/users.list', { headers: { ...bot, 'content-type': type }, body });
        expect(answer.body.error).toBe('invalid_arguments');
      }
    });
  });

  it('while a member makes apps of 50,000 scopes and fields', async () => {
    const { user } = await server.sandbox();
    const names = Array.from({ length: 50_000 }, (_, i) => `chat:wirte${i}`);
    const fields = Object.fromEntries(names.map((name) => [name, true]));
    const app = { display_information: { name: 'many' } };
    await server.neighbourIsServed(async () => {
      const manifest = { ...app, oauth_config: { scopes: { bot: names } } };
      const scopes = await server.send('/api/apps', { headers: user, body: { manifest } });
      expect([scopes.status, scopes.body.message]).toEqual([
        400,
        ['manifest.oauth_config.scopes.bot must be an array of at most 255 strings'],
      ]);
      const settings = { headers: user, body: { manifest: { ...app, settings: fields } } };
      const unknown = await server.send('/api/apps', settings);
      expect([unknown.status, unknown.body.message]).toEqual([
        400,
        ['manifest.settings must have at most 1000 fields'],
      ]);
    });
  });
});

/** docs/reference/limits.md#lanes */
describe('documents of several tenants', () => {
  const server = useAttacked();
  /** Takes a parser seconds. */
  const slow = `a: [${'[],'.repeat(600_000)}]\n`;

  it('take turns, and those whose caller has gone are dropped', async () => {
    const [loud, other] = [await server.sandbox(), await server.sandbox()];
    const path = '/api/sandboxes/self/seed';
    const open = await Promise.all(
      Array.from({ length: 20 }, () =>
        UnfinishedRequest.send(server.url, {
          path,
          headers: { ...loud.control, ...YAML },
          start: slow,
          length: Buffer.byteLength(slow),
        }),
      ),
    );
    const document = { users: 2, channels: [{ name: 'mine', purpose: 'x' }], nonsense: 'y'.repeat(100_000) };
    const mine = await server.send(path, { headers: other.control, body: document });
    expect(mine.status, JSON.stringify(mine.body)).toBe(200);
    // the twentieth of these would be answered after a minute and more
    for (const request of open) request.end();
    const again = await server.send(path, { headers: loud.control, body: { nonsense: 'y'.repeat(100_000) } });
    expect(again.status).toBe(200);
    expect(again.ms).toBeLessThan(20_000);
  });
});
