import { execFile } from 'node:child_process';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, connect } from '../../clients/js/src/testing.js';

const MADE = { id: 'sb1', team_id: 'T1', credentials: { control_token: 'xctl' }, urls: {} };
const PYTHON = `
import sys
from understudy_testing import ApiError, connect
try:
    print(connect(sys.argv[1], "admin").create_sandbox(name=sys.argv[2]).id)
except ApiError as error:
    print(error.status, error.code)
`;

// as when all workers of a suite begin at once on a small machine
describe('A server that is busy', () => {
  let http: HttpServer;
  let url: string;
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    http = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { name } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string };
        asked.push(name);
        const status = name === 'wrong' ? 400 : asked.length < 2 ? 503 : 201;
        reply.writeHead(status, { 'content-type': 'application/json' });
        reply.end(JSON.stringify(status === 201 ? MADE : { message: status === 503 ? 'service_unavailable' : 'bad' }));
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((resolve) => http.close(resolve)));

  it('is asked for the sandbox again', async () => {
    expect((await connect({ url, adminToken: 'admin' }).createSandbox({ name: 'mine' })).id).toBe('sb1');
    expect(asked).toEqual(['mine', 'mine']);
  });

  it('is not asked again when it refused the document', async () => {
    const made = connect({ url, adminToken: 'admin' }).createSandbox({ name: 'wrong' });
    await expect(made).rejects.toMatchObject({ constructor: ApiError, status: 400, code: 'bad' });
    expect(asked).toEqual(['wrong']);
  });

  it('is asked again by the Python library as well, but for a refusal', async () => {
    const run = async (name: string): Promise<string> => {
      const env = { ...process.env, PYTHONPATH: 'clients/python/src' };
      return (await promisify(execFile)('python3', ['-c', PYTHON, url, name], { env })).stdout.trim();
    };
    expect(await run('mine')).toBe('sb1');
    expect(asked).toEqual(['mine', 'mine']);
    expect(await run('wrong')).toBe('400 bad');
    expect(asked).toHaveLength(3);
  });
});
