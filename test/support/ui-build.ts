import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** A folder like the build of the web UI, with minimal content. */
export function tinyUiBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-ui-'));
  mkdirSync(join(folder, 'assets'));
  const page =
    '<!doctype html><base href="__BASE__"><meta property="csp-nonce" nonce="__NONCE__"><script nonce="__NONCE__"></script>';
  writeFileSync(join(folder, 'index.html'), `${page}<script type="application/json" id="config">__CONFIG__</script>`);
  writeFileSync(join(folder, 'graphiql.html'), page);
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'robots.txt'), 'User-agent: *\nDisallow: /\n');
  writeFileSync(join(folder, 'assets', 'app-abcd1234.js'), 'plain');
  writeFileSync(join(folder, 'assets', 'app-abcd1234.js.br'), 'brotli');
  writeFileSync(join(folder, 'assets', 'editor-abcd1234.js.gz'), 'gzip');
  writeFileSync(join(folder, 'assets', 'packed-abcd1234.js.br'), brotliCompressSync('packed'));
  return folder;
}
