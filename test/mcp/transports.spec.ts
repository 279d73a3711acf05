import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { RetryingApiClient, type ApiAnswer } from '../../src/kernel/mcp/api-client.js';
import { useApp } from '../support/app.js';
import { ensureBuilt, type Ended } from '../support/server-process.js';
import type { Product } from './clients.js';

const app = useApp();

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'specs', version: '1' } },
};
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const callOf = (name: string): object => ({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name } });

describe('a tool server on stdio', () => {
  beforeAll(ensureBuilt, 240_000);

  /** Sends these messages, closes the input, and waits for the process to exit. */
  async function converse(product: Product, env: Record<string, string>, messages: object[]): Promise<Ended> {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../bin/understudy.mjs', import.meta.url)), 'mcp', product],
      { env: { PATH: process.env['PATH'] ?? '', SVC_API_URL: `${app.baseUrl}/api/`, ...env } },
    );
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout, stderr };
  }

  const repliesOf = ({ stdout }: Ended): { id: number; result: Record<string, unknown> }[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: Record<string, unknown> })
      .sort((a, b) => a.id - b.id);

  it('answers the requests and exits when its input is closed', async () => {
    const [workspace, org] = await Promise.all([app.workspace(), app.organization()]);
    const bot = await workspace.defaultBot();
    const chat = await converse('chat', { SVC_MCP_TOKEN: bot.token }, [INITIALIZE, LIST, callOf('svc_auth_test')]);
    const issues = await converse('issues', { SVC_API_KEY: org.apiKey }, [INITIALIZE, LIST, callOf('list_teams')]);
    for (const ended of [chat, issues]) {
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(repliesOf(ended).map(({ id }) => id)).toEqual([1, 2, 3]);
    }
    expect(repliesOf(chat)[2]?.result).toMatchObject({ structuredContent: { user_id: bot.userId } });
    expect(repliesOf(issues)[2]?.result).toMatchObject({ structuredContent: { teams: [{ id: org.team.id }] } });
  });

  it.each([
    ['chat', {}, /^understudy: SVC_MCP_TOKEN is not set[^\n]*\n$/],
    ['issues', {}, /^understudy: SVC_API_KEY is not set[^\n]*\n$/],
    ['chat', { SVC_MCP_TOKEN: 'xoxb-000000000000-aaaaaaaaaaaaaaaaaaaaaaaa' }, /^understudy: invalid_auth: [^\n]*\n$/],
    ['issues', { SVC_API_KEY: `svc_api_${'a'.repeat(40)}` }, /^understudy: [^\n]*AUTHENTICATION_ERROR[^\n]*\n$/],
    ['chat', { SVC_MCP_TOKEN: 'x', SVC_API_URL: 'http://127.0.0.1:9/api' }, /^understudy: api_unreachable: [^\n]*\n$/],
  ] as const)('reports a faulty configuration in one line: %s %o', async (product, env, line) => {
    const ended = await converse(product, env, [INITIALIZE, LIST]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(line);
    for (const secret of Object.values(env).filter((value) => /^(xoxb|svc_api)/.test(value))) {
      expect(ended.stderr + ended.stdout).not.toContain(secret);
    }
    // the tools are listed even with an invalid credential
    expect(repliesOf(ended)[1]?.result['tools']).toHaveLength(product === 'chat' ? 11 : 7);
  });

  it('does not start with an invalid address', async () => {
    const ended = await converse('chat', { SVC_API_URL: 'localhost:3000' }, []);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^understudy: SVC_API_URL must be [^\n]*\n$/);
  });
});

describe('a tool server over HTTP', () => {
  const send = (product: Product, init: RequestInit): Promise<Response> =>
    fetch(`${app.baseUrl}/api/mcp/${product}`, init);
  const post = (product: Product, message: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    send(product, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });

  it('is stateless: each request is answered separately, in JSON', async () => {
    const bot = await (await app.workspace()).defaultBot();
    const response = await post('chat', callOf('svc_auth_test'), { authorization: `Bearer ${bot.token}` });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({ id: 3, result: { structuredContent: { user_id: bot.userId } } });
    const notified = await post('chat', { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notified.status, await notified.text()]).toEqual([202, '']);
  });

  it('accepts an API key with and without Bearer, and an access token', async () => {
    const org = await app.organization();
    for (const authorization of [org.apiKey, `Bearer ${org.apiKey}`, `Bearer ${await org.accessToken()}`]) {
      const response = await post('issues', callOf('list_teams'), { authorization });
      expect(await response.json()).toMatchObject({ result: { structuredContent: { teams: [{ id: org.team.id }] } } });
    }
  });

  it.each(['chat', 'issues'] as const)('accepts only POST: %s', async (product) => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await send(product, { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } });
    }
  });

  it('refuses a body that is no JSON-RPC message', async () => {
    const refused = async (response: Response): Promise<[number, number]> => [
      response.status,
      ((await response.json()) as { error: { code: number } }).error.code,
    ];
    expect(await refused(await post('chat', '{'))).toEqual([400, -32700]);
    expect(await refused(await post('chat', { hello: 'world' }))).toEqual([400, -32700]);
    expect(await refused(await post('chat', [LIST]))).toEqual([400, -32600]);
    expect(await refused(await post('issues', LIST, { 'content-type': 'text/plain' }))).toEqual([415, -32000]);
    expect(await refused(await post('issues', `"${'x'.repeat(2 * 1024 * 1024)}"`))).toEqual([413, -32000]);
  });
});

describe('retries of a rate-limited call', () => {
  const answer = (status: number, retryAfter?: number): ApiAnswer => ({
    status,
    body: {},
    header: (name) => (name === 'retry-after' ? retryAfter?.toString() : undefined),
  });
  async function ask(...answers: ApiAnswer[]): Promise<{ status: number; waits: number[]; left: number }> {
    const waits: number[] = [];
    const client = { post: async () => answers.shift() as ApiAnswer };
    const patient = new RetryingApiClient(client, async (seconds) => void waits.push(seconds));
    const { status } = await patient.post('/x', {}, {});
    return { status, waits, left: answers.length };
  }

  it('wait once if the time is five seconds or less', async () => {
    expect(await ask(answer(429, 5), answer(200))).toEqual({ status: 200, waits: [5], left: 0 });
    expect(await ask(answer(429, 1), answer(429, 1), answer(200))).toEqual({ status: 429, waits: [1], left: 1 });
    expect(await ask(answer(429, 6), answer(200))).toEqual({ status: 429, waits: [], left: 1 });
  });

  it('are not made on an overloaded server, as the call may have started', async () => {
    expect(await ask(answer(503, 1), answer(200))).toEqual({ status: 503, waits: [], left: 1 });
  });
});
