import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../kernel/config/settings.js';
import { newAlphanumeric } from '../kernel/ids/ids.js';
import type { Log } from '../kernel/log/log.js';
import type { FirstStart } from '../tenants/first-start.js';
import type { UiLinks } from '../tenants/ui-links.js';
import { OperatorError } from './fatal-error.js';
import { isSameSecret } from '../kernel/ids/same-secret.js';

/**
 * How operator commands reach a server on this machine, whose embedded database only that server can open and whose
 * credentials nobody else has: a second listener on loopback and a free port, separate from the HTTP API. A proxy on the
 * same machine cannot expose it, and a caller must present a secret, which is written together with the port into a file
 * that only the server's user can read.
 */

/** What `understudy tokens --json` prints. */
export interface TokensDocument {
  base_url: string;
  team_id: string;
  bot_token: string;
  user_token: string;
  app_token: string;
  api_key: string;
}

/** What a command needs to call the API as an operator. */
export interface OperatorDocument extends TokensDocument {
  /** Null where the admins of the default workspace are the operators. */
  admin_token: string | null;
}

/** What a command can ask for. */
export type TokensPath = '/tokens' | '/tokens/rotate';
export type OperatorPath = TokensPath | '/operator' | '/origin' | `/open?${string}`;

interface Address {
  port: number;
  secret: string;
}

const HEADER = 'x-operator-secret';

/**
 * The file in which the running server writes its address. With `memory` or a PostgreSQL there is no data directory, so
 * it is in a temporary folder of this user.
 */
const addressFile = (settings: Settings): string =>
  settings.dataDir === 'memory' || settings.databaseUrl !== undefined
    ? fileByPort(settings)
    : join(settings.dataDir, 'operator.json');

/** By user id where there is one: a container may run as a user without a name. */
const fileByPort = (settings: Settings): string =>
  join(tmpdir(), `understudy-${process.getuid?.() ?? userInfo().username}`, `${settings.port}.json`);

/** The server's side. */
export class OperatorChannel {
  private constructor(
    private readonly server: Server,
    private readonly file: string,
  ) {}

  /**
   * Undefined, with a warning, when the address file cannot be written: the server works, only the commands cannot
   * reach it.
   */
  static async open(
    settings: Settings,
    { firstStart, uiLinks }: { firstStart: FirstStart; uiLinks: UiLinks },
    { baseUrl, origin }: { baseUrl: () => string; origin: string },
    log: Log,
  ): Promise<OperatorChannel | undefined> {
    const secret = newAlphanumeric(43);
    const [named] = settings.adminTokens?.values() ?? [];
    const adminToken = settings.adminToken ?? named ?? null;
    const document = async (path: string | undefined): Promise<object | null> => {
      if (path?.startsWith('/open?')) {
        const { as, to } = Object.fromEntries(new URLSearchParams(path.slice('/open?'.length)));
        return { url: await uiLinks.open(baseUrl(), { as, to }) };
      }
      if (path === '/origin') return { origin };
      if (path === '/tokens/rotate') return tokensDocument(baseUrl(), await firstStart.rotate());
      if (path !== '/tokens' && path !== '/operator') return null;
      const tokens = tokensDocument(baseUrl(), await firstStart.ensure());
      return path === '/tokens' ? tokens : { ...tokens, admin_token: adminToken };
    };
    const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      req.resume();
      const given = req.headers[HEADER];
      if (req.method !== 'POST' || typeof given !== 'string' || !isSameSecret(given, secret))
        return void res.writeHead(404).end();
      try {
        const body = await document(req.url);
        if (body) res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        else res.writeHead(404).end();
      } catch (error) {
        res
          .writeHead(500, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: (error as Error).message }));
      }
    };
    const server = createServer((req, res) => void answer(req, res));
    server.unref();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    // several servers on one PostgreSQL may each take a free port
    const isFreePort = settings.databaseUrl !== undefined && settings.port === 0;
    const file = addressFile(isFreePort ? { ...settings, port: Number(new URL(origin).port) } : settings);
    const address: Address = { port: (server.address() as AddressInfo).port, secret };
    try {
      writePrivately(file, JSON.stringify(address));
    } catch (error) {
      server.close();
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (syscall === undefined) throw error;
      // beside a PostgreSQL no file need be writable: operators have the URL and tokens
      const say = settings.databaseUrl === undefined ? 'warn' : 'debug';
      log[say](`the operators' commands cannot reach this server: ${file} cannot be written (${code})`);
      return undefined;
    }
    return new OperatorChannel(server, file);
  }

  close(): void {
    rmSync(this.file, { force: true });
    this.server.close();
    this.server.closeAllConnections();
  }
}

export const tokensDocument = (
  baseUrl: string,
  tenant: { teamId: string; botToken: string; userToken: string; appToken: string; apiKey: string },
): TokensDocument => ({
  base_url: baseUrl,
  team_id: tenant.teamId,
  bot_token: tenant.botToken,
  user_token: tenant.userToken,
  app_token: tenant.appToken,
  api_key: tenant.apiKey,
});

/** Writes the file atomically, and never readable by other users. */
function writePrivately(file: string, content: string): void {
  const folder = join(file, '..');
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  // do not trust a folder in the common temporary directory that another user made
  const { uid } = lstatSync(folder);
  if (process.getuid && uid !== process.getuid())
    throw new OperatorError(`${folder} belongs to another user; remove it`);
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** The command's side: asks the server of these settings' data, or returns null when none runs. */
export const askServer = <T extends object = TokensDocument>(
  settings: Settings,
  path: OperatorPath,
): Promise<T | null> => askServerIn(addressFile(settings), path);

/** The same, or else the server without a data directory (in memory, on a PostgreSQL) that was given this port. */
export async function askAnyServer<T extends object>(settings: Settings, path: OperatorPath): Promise<T | null> {
  const found = await askServer<T>(settings, path);
  return found || settings.port === 0 ? found : askServerIn<T>(fileByPort(settings), path);
}

async function askServerIn<T extends object>(file: string, path: OperatorPath): Promise<T | null> {
  let address: Address;
  try {
    address = JSON.parse(readFileSync(file, 'utf8')) as Address;
  } catch {
    return null;
  }
  const reply = await post(address, path).catch(() => null); // left behind by a server that was killed
  if (!reply || reply.status === 404) return null;
  const body = JSON.parse(reply.body) as T & { error?: string };
  if (reply.status !== 200) throw new OperatorError(body.error ?? 'the server could not answer');
  return body;
}

function post({ port, secret }: Address, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: { [HEADER]: secret },
      timeout: 10_000,
      agent: false,
    };
    const call = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error('the server does not answer')));
    call.on('error', reject);
    call.end();
  });
}
