import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PACKAGE_ROOT } from '../kernel/config/package-root.js';
import { StoreError } from '../kernel/database/store-error.js';
import { accepts, sendPacked } from '../kernel/http/packed-file.js';
import { COMMON_HEADERS, type Page } from './content-security.js';

const FOLDER = join(PACKAGE_ROOT, 'dist', 'ui');

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  ttf: 'font/ttf',
  woff2: 'font/woff2',
  png: 'image/png',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The files of the build in `dist/ui`: two pages read once, and assets looked up by name, so that no path can escape
 * the folder.
 */
export class UiFiles {
  private readonly assets: ReadonlySet<string>;
  private readonly pages: Readonly<Record<Page, string>>;

  /** @throws StoreError when the web UI is not built */
  constructor(private readonly folder = FOLDER) {
    if (!existsSync(join(folder, 'index.html'))) throw new StoreError('the web UI is not built: npm run build');
    const page = (name: string): string => {
      const file = join(folder, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    this.pages = { app: page('index.html'), graphiql: page('graphiql.html') };
    this.assets = new Set(readdirSync(join(folder, 'assets')));
  }

  /** A page's template. */
  page(name: Page): string {
    return this.pages[name];
  }

  /** Sends a file of `assets`, in an encoding that the browser takes; false when there is none of that name. */
  sendAsset(name: string, request: FastifyRequest, reply: FastifyReply): boolean {
    if (/\.(br|gz)$/.test(name)) return false;
    for (const [encoding, suffix] of ENCODINGS) {
      if (this.assets.has(name + suffix) && accepts(request, encoding)) {
        void reply.header('Content-Encoding', encoding);
        this.send(join('assets', name + suffix), name, IMMUTABLE, reply);
        return true;
      }
    }
    if (this.assets.has(name)) this.send(join('assets', name), name, IMMUTABLE, reply);
    // the package holds only the compressed form
    else if (this.assets.has(`${name}.br`)) {
      sendPacked(join(this.folder, 'assets', `${name}.br`), request, this.described(name, IMMUTABLE, reply));
    } else return false;
    return true;
  }

  /** Sends a file that lies beside the pages and keeps its name from version to version. */
  sendPublic(name: string, reply: FastifyReply): void {
    this.send(name, name, 'public, max-age=86400', reply);
  }

  private send(path: string, name: string, caching: string, reply: FastifyReply): void {
    void this.described(name, caching, reply).send(createReadStream(join(this.folder, path)));
  }

  private described(name: string, caching: string, reply: FastifyReply): FastifyReply {
    return reply
      .headers(COMMON_HEADERS)
      .header('Content-Type', TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
      .header('Cache-Control', caching)
      .header('Vary', 'Accept-Encoding');
  }
}

const IMMUTABLE = 'public, max-age=31536000, immutable';
