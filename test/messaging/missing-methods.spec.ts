import { Log } from '../../src/kernel/log/log.js';
import { MissingMethods } from '../../src/messaging/rpc/missing-methods.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TestApp } from '../support/app.js';

describe('a method that the caller’s sandbox does not serve', () => {
  it('is logged once as a setting of the sandbox when the server has all methods', () => {
    const lines: unknown[] = [];
    const missing = new MissingMethods(
      { info: (...line: unknown[]) => void lines.push(line) } as unknown as Log,
      'all',
    );
    for (let n = 0; n < 2; n++) missing.report('team.info', true);
    missing.report('files.upload', false);
    expect(lines).toEqual([
      ['team.info was called, which its sandbox is without (its methods: core)', { method: 'team.info' }],
      ['files.upload was called, which does not exist here', { method: 'files.upload' }],
    ]);
  });
});

// docs/reference/chat.md#routing
describe('calls of methods that are not served', () => {
  it.each([
    [
      'core',
      'files.upload was called, which does not exist here',
      'team.info was called, which SVC_METHODS=all has (this server: core)',
    ],
    ['all', 'files.upload was called, which does not exist here', undefined],
  ] as const)('are logged once each, at info, under SVC_METHODS=%s', async (methods, ofUnknown, ofBeyond) => {
    const info = vi.spyOn(Log.prototype, 'info');
    const server = await TestApp.start({ SVC_METHODS: methods });
    onTestFinished(async () => {
      info.mockRestore();
      await server.stop();
    });
    for (let n = 0; n < 2; n++) {
      for (const method of ['files.upload', 'team.info', 'auth.test']) {
        await fetch(`${server.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: 'Bearer xoxb-nobody' },
        });
      }
    }
    const logged = info.mock.calls.filter(([message]) => String(message).includes('was called, which'));
    expect(logged).toEqual([
      [ofUnknown, { method: 'files.upload' }],
      ...(ofBeyond === undefined ? [] : [[ofBeyond, { method: 'team.info' }]]),
    ]);
  });
});
