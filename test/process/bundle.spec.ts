import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

beforeAll(ensureBuilt, 300_000);

const CREDENTIALS = {
  SVC_DEFAULT_BOT_TOKEN: `xoxb-000000000000-${'b'.repeat(24)}`,
  SVC_DEFAULT_API_KEY: `svc_api_${'b'.repeat(40)}`,
};
const ADMIN_TOKEN = 'operator-of-the-bundle';

const packageOf = (file: string): string | undefined => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];

describe('the bundled server', { timeout: 120_000 }, () => {
  const folder = scratchFolder();

  it('serves everything, and loads no package from node_modules that it contains', async () => {
    const loads = join(folder, 'loads.txt');
    const preload = new URL('../support/preload-loads.mjs', import.meta.url).href;
    const server = await ServerProcess.start({
      SVC_DATA_DIR: 'memory',
      SVC_METRICS_PORT: '0',
      NODE_OPTIONS: `--import ${preload}`,
      LOADS_FILE: loads,
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      ...CREDENTIALS,
    });
    const get = (path: string): Promise<Response> => fetch(`${server.baseUrl}${path}`);
    const post = (path: string, authorization: string, body: object): Promise<Response> =>
      fetch(`${server.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(body),
      });
    // modules that are loaded late: the documentation and its assets, tool servers, compiled queries, validation,
    // sockets
    const docs = await (await get('/api/docs')).text();
    expect(docs).toContain('swagger');
    const script = /src="\.?\/?([^"]*swagger-ui-bundle\.js)"/.exec(docs)?.[1] as string;
    expect((await get(`/api/${script.replace(/^(\.\/)?(docs\/)?/, 'docs/')}`)).status).toBe(200);
    expect(await (await get('/api/docs-json')).json()).toHaveProperty('paths');
    const bot = `Bearer ${CREDENTIALS.SVC_DEFAULT_BOT_TOKEN}`;
    const tools = await post('/api/mcp/chat', bot, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect(await tools.text()).toContain('"tools"');
    const page = await post('/graphql', CREDENTIALS.SVC_DEFAULT_API_KEY, { query: '{ issues { nodes { id } } }' });
    expect(await page.json()).toEqual({ data: { issues: { nodes: [] } } });
    const signup = await post('/api/auth/signup', '', { email: 'not one' });
    expect(signup.status).toBe(400);
    const polling = await get('/socket.io/?EIO=4&transport=polling');
    expect(await polling.text()).toContain('"sid"');
    expect(await server.call('auth.test', CREDENTIALS.SVC_DEFAULT_BOT_TOKEN)).toMatchObject({ ok: true });
    // a large document is read in a thread, which has a bundle of its own
    const large = { users: 2, channels: [{ name: 'ops', topic: 'x', messages: [{ as: 'user-2', text: 'hello' }] }] };
    const made = await fetch(`${server.baseUrl}/api/sandboxes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-admin-token': ADMIN_TOKEN },
      body: JSON.stringify({ ...large, nonsense: 'x'.repeat(2 ** 20) }),
    });
    expect(await made.json()).toMatchObject({
      counts: { users: 3, messages: 1 },
      warnings: ['nonsense: no such field'],
    });
    expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 });

    const bundled = JSON.parse(
      readFileSync(new URL('../../dist/server/packages.json', import.meta.url), 'utf8'),
    ) as string[];
    expect(bundled).toContain('@nestjs/core');
    const loaded = new Set(readFileSync(loads, 'utf8').split('\n').map(packageOf));
    expect(loaded).toContain('pg');
    expect(bundled.filter((name) => loaded.has(name))).toEqual([]);
  });
});
