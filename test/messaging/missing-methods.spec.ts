import type { Log } from '../../src/kernel/log/log.js';
import { MissingMethods } from '../../src/messaging/rpc/missing-methods.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

describe('a method that the caller’s sandbox is without', () => {
  it('is told as its sandbox’s choice where the server has all, once', () => {
    const lines: unknown[] = [];
    const missing = new MissingMethods(
      { info: (...line: unknown[]) => void lines.push(line) } as unknown as Log,
      'all',
    );
    for (let n = 0; n < 2; n++) missing.tell('team.info', true);
    missing.tell('files.upload', false);
    expect(lines).toEqual([
      ['team.info was called, which its sandbox is without (its methods: core)', { method: 'team.info' }],
      ['files.upload was called, which does not exist here', { method: 'files.upload' }],
    ]);
  });
});

// docs/reference/chat.md#routing
describe('methods that a caller asks for in vain', { timeout: 120_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.each([
    [
      'core',
      'files.upload was called, which does not exist here',
      'team.info was called, which SVC_METHODS=all has (this server: core)',
    ],
    ['all', 'files.upload was called, which does not exist here', undefined],
  ] as const)('are logged once each, at info, under SVC_METHODS=%s', async (methods, ofUnknown, ofBeyond) => {
    const server = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_METHODS: methods, SVC_LOG_LEVEL: 'info' });
    onTestFinished(async () => void (await server.kill('SIGTERM')));
    for (let n = 0; n < 2; n++) {
      for (const method of ['files.upload', 'team.info', 'auth.test']) await server.call(method, 'xoxb-nobody');
    }
    const { stderr } = await server.kill('SIGTERM');
    const told = stderr
      .split('\n')
      .filter((line) => line.includes('was called, which'))
      .map((line) => JSON.parse(line) as object);
    expect(told).toMatchObject([
      { level: 'info', msg: ofUnknown, method: 'files.upload' },
      ...(ofBeyond === undefined ? [] : [{ level: 'info', msg: ofBeyond, method: 'team.info' }]),
    ]);
  });
});
