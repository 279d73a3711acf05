import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { certificateIn } from '../support/certificate.js';
import { scratchFolder } from '../support/scratch.js';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('../support/linear-over-tls.mjs', import.meta.url));

describe('https', () => {
  const folder = scratchFolder();
  let cert: string;
  let key: string;
  let app: TestApp;

  beforeAll(async () => {
    ({ cert, key } = certificateIn(folder));
    app = await TestApp.start({ SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key });
  });
  afterAll(async () => {
    await app.stop();
  });

  const viewer = (apiKey: string, env: Record<string, string>) =>
    run(process.execPath, [CLIENT], {
      env: { PATH: process.env['PATH'], API_KEY: apiKey, API_URL: `${urlOf(app)}/graphql`, ...env },
    });

  it('serves the official client if it trusts the certificate', async () => {
    const org = await app.organization();
    const { stdout } = await viewer(org.apiKey, { NODE_EXTRA_CA_CERTS: cert });
    expect(stdout).toBe(org.owner.id);
  });

  it('is refused by a client that does not trust the certificate', async () => {
    const org = await app.organization();
    await expect(viewer(org.apiKey, {})).rejects.toThrow(/certificate|fetch failed/i);
  });
});

const urlOf = (app: TestApp): string => app.baseUrl.replace(/^http:/, 'https:');
