import { addressList, addRange, withoutBrackets } from './addresses.js';
import { BlockList, isIP } from 'node:net';
import { integer, matching, oneOf, optional, setting, text } from './setting.js';

/** What one entry of SVC_TARGETS allows: addresses, one host, or the names below one; each with a port or any. */
export type TargetRule = { readonly port: number | undefined } & (
  { readonly addresses: BlockList } | { readonly host: string } | { readonly suffix: string }
);

/** The destinations that apps' URLs may have. */
export type Targets = 'any' | 'cluster' | readonly TargetRule[];

/** Attempts per minute at login, sign-up and refresh, each counted separately; 0 = not counted. */
export interface AuthRate {
  /** Failed attempts per account. */
  readonly account: number;
  /** All attempts per address. */
  readonly address: number;
}

/** A key for stored secrets; each encrypted value names the key it needs. */
export interface SecretKey {
  readonly id: string;
  readonly key: Buffer;
}

const parts = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?$/i;

function targetRule(entry: string): TargetRule {
  const [, bracketed, afterBracket] = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(entry) ?? [];
  const isBareIPv6 = bracketed === undefined && (entry.match(/:/g)?.length ?? 0) > 1;
  const [, host = '', port] =
    bracketed !== undefined
      ? ['', bracketed, afterBracket]
      : isBareIPv6
        ? ['', entry]
        : (/^([^:]*)(?::(\d{1,5}))?$/.exec(entry) ?? []);
  const number = port === undefined ? undefined : Number(port);
  if (host === '' || (number !== undefined && (number < 1 || number > 65_535))) throw fault(entry);
  if (isIP(host) !== 0 || host.includes('/')) {
    const addresses = new BlockList();
    try {
      addRange(addresses, host);
    } catch {
      throw fault(entry);
    }
    return { addresses, port: number };
  }
  const name = host.replace(/^\*\./, '').toLowerCase();
  if (!HOST_NAME.test(name)) throw fault(entry);
  return host.startsWith('*.') ? { suffix: `.${name}`, port: number } : { host: name, port: number };
}

const fault = (entry: string): Error =>
  new Error(
    `must be any, cluster, or ranges, addresses, hosts and *.suffix with an optional port, separated by commas; "${entry}" is none`,
  );

function targets(value: string): Targets {
  if (value === 'any' || value === 'cluster') return value;
  const entries = parts(value);
  if (entries.length === 0) throw fault(value);
  return entries.map(targetRule);
}

function authRate(value: string): AuthRate {
  if (value.trim() === '0') return { account: 0, address: 0 };
  const match = /^\s*(\d{1,7})\s*,\s*(\d{1,7})\s*$/.exec(value);
  if (!match) throw new Error(`must be two whole numbers, as in 10,60, not "${value}"`);
  return { account: Number(match[1]), address: Number(match[2]) };
}

function secretKeys(value: string): readonly SecretKey[] {
  const keys = parts(value).map((part) => {
    const match = /^([A-Za-z0-9_-]{1,40}):([0-9a-fA-F]{64})$/.exec(part);
    if (!match) throw new Error('must be <id>:<64 hex digits>, several separated by commas');
    return { id: match[1] as string, key: Buffer.from(match[2] as string, 'hex') };
  });
  if (keys.length === 0) throw new Error('must be <id>:<64 hex digits>, several separated by commas');
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('must not name an id twice');
  return keys;
}

/** Host names and addresses as in `Host` headers, without ports. */
const hosts = (value: string): readonly string[] =>
  parts(value).map((part) => withoutBrackets(part.toLowerCase().replace(/:\d+$/, (port) => (isIP(part) ? port : ''))));

function origins(value: string): readonly string[] {
  return parts(value).map((part) => {
    if (part === '*' || !URL.canParse(part) || !/^https?:$/.test(new URL(part).protocol)) {
      throw new Error(`must be origins such as https://tools.example separated by commas, not "${part}"`);
    }
    return new URL(part).origin;
  });
}

function ranges(value: string): BlockList {
  try {
    return addressList(parts(value));
  } catch (error) {
    throw new Error(`must be addresses and ranges separated by commas: ${(error as Error).message}`, { cause: error });
  }
}

const most = (env: string, fallback: number, what: string) =>
  setting(env, String(fallback), what, integer(1, 1_000_000));

/** Settings that protect a server shared by strangers (docs/SECURITY.md); part of the one table of settings. */
export const SAFETY_SETTINGS = {
  signup: optional(
    'SVC_SIGNUP',
    'who may make an account: `open` to all, or `closed`; by default open on a loopback `HOST`, else closed',
    oneOf('open', 'closed'),
  ),
  consent: optional(
    'SVC_CONSENT',
    'who consents where an app asks to be installed: `picker`, anybody, as anybody whom they pick; or `sign-in`, who signs in; ' +
      'by default picker on a loopback `HOST`, else sign-in',
    oneOf('picker', 'sign-in'),
  ),
  targets: optional(
    'SVC_TARGETS',
    "where apps' URLs may lead: `any`; `cluster`, which leaves out this server's own addresses; or a list such as " +
      '`10.0.0.0/8,app.test:8080,*.example.org`; by default `any` on a loopback `HOST`, else `cluster`',
    targets,
  ),
  allowedHosts: setting(
    'SVC_ALLOWED_HOSTS',
    '',
    'further names in `Host` that a server on a loopback `HOST` answers to, separated by commas',
    hosts,
  ),
  allowedOrigins: setting(
    'SVC_ALLOWED_ORIGINS',
    '',
    'origins of pages that may use `/socket.io` and `/api/mcp/*`, separated by commas',
    origins,
  ),
  trustedProxies: setting(
    'SVC_TRUSTED_PROXIES',
    '',
    'addresses and ranges of proxies whose `X-Forwarded-For` is believed',
    ranges,
  ),
  connectionsPerAddress: setting(
    'SVC_CONNECTIONS_PER_ADDRESS',
    '512',
    'connections that one address may hold open; 0: any number',
    integer(0, 1_000_000),
  ),
  authRate: optional(
    'SVC_AUTH_RATE',
    'a minute, at each of login, sign-up and refresh: refused tries of an account, calls of an address; 0: not counted; ' +
      'by default `10,0` on a loopback `HOST`, else `10,60`',
    authRate,
  ),
  secretKeys: optional(
    'SVC_SECRET_KEY',
    'keys that encrypt signing secrets in the store, `<id>:<64 hex digits>`, separated by commas: the first encrypts, all decrypt',
    secretKeys,
    true,
  ),
  metricsHost: optional('SVC_METRICS_HOST', 'address that the metrics port listens on; by default as `HOST`', text),
  metricsToken: optional(
    'SVC_METRICS_TOKEN',
    'bearer token that the metrics port asks for; unset: none',
    matching(/^\S{8,}$/, 'at least 8 characters long, without blanks'),
    true,
  ),
  maxSubscriptions: most('SVC_MAX_SUBSCRIPTIONS', 100, 'event subscriptions of a workspace'),
  maxOutgoingWebhooks: most('SVC_MAX_OUTGOING_WEBHOOKS', 100, 'outgoing webhooks of a workspace'),
  maxIncomingWebhooks: most('SVC_MAX_INCOMING_WEBHOOKS', 500, 'incoming webhooks of a workspace'),
  maxCommands: most('SVC_MAX_COMMANDS', 200, 'slash commands of a workspace'),
  maxApps: most('SVC_MAX_APPS', 100, 'apps of a workspace beside its default one'),
  maxWorkspaces: most('SVC_MAX_WORKSPACES', 100, 'workspaces that an account may make'),
  maxOrganizations: most('SVC_MAX_ORGANIZATIONS', 100, 'organizations that an account may make'),
  maxSockets: most('SVC_MAX_SOCKETS', 50, 'connections to `/socket.io` that a credential may hold'),
};
