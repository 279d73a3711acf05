import type { Entry } from './entries.js';

/** Quotes for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const TOKENS: Readonly<Record<string, string>> = {
  bot: '$BOT_TOKEN',
  user: '$USER_TOKEN',
  app: '$APP_TOKEN',
  api_key: '$API_KEY',
  jwt: '$ACCESS_TOKEN',
};

/** A call or a delivery as a curl command; secrets are shell variables. */
export function curlOf(entry: Entry, base: string): string | null {
  if (entry.kind === 'delivery') return deliveryCurl(entry);
  if (entry.kind !== 'call' || entry.method === undefined) return null;
  const kind = entry.caller?.kind ?? 'bot';
  const token = TOKENS[kind] ?? '$BOT_TOKEN';
  const authorization = `-H "Authorization: ${kind === 'api_key' ? '' : 'Bearer '}${token}"`;
  const rest = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(entry.method);
  const args = withoutTokens(entry.args);
  if (entry.product === 'tracker' && !rest) {
    return lines(`curl -sS ${quoted(`${base}/graphql`)}`, [
      authorization,
      "-H 'Content-Type: application/json'",
      `-d ${quoted(JSON.stringify(args))}`,
    ]);
  }
  const verb = rest?.[1] ?? 'POST';
  const path = rest?.[2] ?? `/api/${entry.method}`;
  const body =
    verb === 'GET' || verb === 'DELETE'
      ? []
      : ["-H 'Content-Type: application/json; charset=utf-8'", `-d ${quoted(JSON.stringify(args))}`];
  return lines(`curl -sS${rest ? ` -X ${verb}` : ''} ${quoted(base + path)}`, [authorization, ...body]);
}

function deliveryCurl({ target, request }: Entry): string | null {
  if (!target?.url || !request) return null;
  const skipped = new Set(['host', 'content-length', 'connection', 'accept-encoding']);
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !skipped.has(name.toLowerCase()));
  const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body ?? '');
  return lines(`curl -sS ${quoted(target.url)}`, [
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ]);
}

function withoutTokens(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args ?? {};
  const { token: _token, ...rest } = args as Record<string, unknown>;
  return rest;
}

const lines = (first: string, rest: readonly string[]): string => [first, ...rest].join(' \\\n  ');
