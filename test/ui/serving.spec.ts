import { mkdtempSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../src/ui/content-security.js';
import { UiFiles } from '../../src/ui/ui-files.js';
import { TestApp, useApp } from '../support/app.js';
import { tinyUiBuild } from '../support/ui-build.js';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request as a browser does, while fetch would decode the body and choose headers itself. */
function ask(base: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpGet(`${base}${path}`, { headers, method }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on('error', reject);
  });
}

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the web UI in full mode', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start(
      {
        SVC_MODE: 'full',
        SVC_PUBLIC_URL: 'https://qa.example/understudy',
        HOST: '0.0.0.0',
        // this host cannot reach loopback addresses: on a shared store it would take deliveries of other specs and
        // fail
        DATABASE_URL: '',
        SVC_DATA_DIR: 'memory',
      },
      tinyUiBuild(),
    );
  });
  afterAll(() => app.stop());

  it('answers the same page at every address of the app, each time with a new nonce', async () => {
    const pages = await Promise.all(
      ['/', '/w/T0', '/w/T0/c/C0/t/1.2', '/archives/C0/p1', '/sandboxes', '/sign-in'].map((path) =>
        ask(app.baseUrl, path, HTML),
      ),
    );
    const nonces = pages.map(({ status, headers, body }) => {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      });
      expect(headers).not.toHaveProperty('etag');
      const nonce = /script nonce="([\w-]+)"/.exec(body)?.[1] as string;
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; ` +
          `font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(body).toContain('{"version":');
      return nonce;
    });
    expect(new Set(nonces).size).toBe(pages.length);
    expect(await ask(app.baseUrl, '/w/T0', HTML, 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it('answers JSON at / on request', async () => {
    const { headers } = await ask(app.baseUrl, '/', { accept: 'application/json' });
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  it('allows GraphiQL to inject styles and embed fonts, and nothing else', async () => {
    const { headers } = await ask(app.baseUrl, '/graphiql', HTML);
    expect(headers['content-security-policy']).toContain(`style-src 'self' 'unsafe-inline'; img-src`);
    expect(headers['content-security-policy']).toContain(`font-src 'self' data:`);
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
  });

  it('does not start without its build', () => {
    expect(() => new UiFiles(mkdtempSync(join(tmpdir(), 'understudy-ui-')))).toThrow(
      'the web UI is not built: npm run build',
    );
  });

  it('allows external images if that is set, and nothing else', () => {
    const [without, withImages] = [false, true].map((remoteImages) =>
      contentSecurityPolicy('app', { nonce: 'n', remoteImages }),
    ) as [string, string];
    expect(withImages).toBe(without.replace(`img-src 'self' data: blob:`, `img-src 'self' data: blob: https: http:`));
    expect(withImages).not.toBe(without);
  });

  it('is served below the path of the public URL to clients of its host, and at the root to others', async () => {
    const baseOf = async (headers: Record<string, string>): Promise<string | undefined> =>
      /base href="([^"]*)"/.exec((await ask(app.baseUrl, '/w/T0', { ...HTML, ...headers })).body)?.[1];
    expect(await baseOf({})).toBe('/');
    expect(await baseOf({ host: 'qa.example' })).toBe('/understudy/');
    // the specs' own address is no trusted proxy
    expect(await baseOf({ 'x-forwarded-host': 'qa.example' })).toBe('/');
  });

  it('serves assets as immutable, and compressed if the browser accepts it', async () => {
    const brotli = await ask(app.baseUrl, '/assets/app-abcd1234.js', { 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli).toMatchObject({ status: 200, body: 'brotli' });
    expect(brotli.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect((await ask(app.baseUrl, '/assets/app-abcd1234.js')).body).toBe('plain');
    expect((await ask(app.baseUrl, '/assets/editor-abcd1234.js', { 'accept-encoding': 'gzip, br' })).body).toBe('gzip');
    // the package contains only the compressed files, which are decompressed for other clients
    const unpacked = await ask(app.baseUrl, '/assets/packed-abcd1234.js');
    expect(unpacked).toMatchObject({ status: 200, body: 'packed' });
    expect(unpacked.headers).not.toHaveProperty('content-encoding');
    const repacked = await ask(app.baseUrl, '/assets/packed-abcd1234.js', { 'accept-encoding': 'gzip' });
    expect(repacked.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  });

  it('answers 404 as JSON for unknown files, and serves nothing outside its folder', async () => {
    for (const path of [
      '/assets/none-1.js',
      '/assets/app-abcd1234.js.br',
      '/assets/../index.html',
      '/assets/%2e%2e/x',
    ]) {
      const { status, headers } = await ask(app.baseUrl, path);
      expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    }
  });

  it('excludes robots', async () => {
    expect((await ask(app.baseUrl, '/robots.txt')).body).toContain('Disallow: /');
    expect((await ask(app.baseUrl, '/favicon.svg')).headers['cache-control']).toContain('max-age=86400');
  });

  it('reports its mode', async () => {
    expect(JSON.parse((await ask(app.baseUrl, '/api/health')).body)).toMatchObject({ mode: 'full' });
  });
});

describe('the web UI in api mode', () => {
  const app = useApp();

  it('does not exist', async () => {
    for (const path of ['/assets/x.js', '/w/T0', '/archives/C0/p1', '/sign-in', '/sandboxes', '/graphiql']) {
      expect((await ask(app.baseUrl, path, HTML)).status, path).toBe(404);
    }
    for (const path of [
      'session/refresh',
      'session/login',
      'session/signup',
      'session/link',
      'session/logout',
      'sidebar',
    ]) {
      expect((await ask(app.baseUrl, `/api/ui/${path}`, {}, 'POST')).status, path).toBe(404);
    }
    expect(JSON.parse((await ask(app.baseUrl, '/api/health')).body)).toMatchObject({ mode: 'api' });
  });
});
