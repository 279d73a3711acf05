import type { DefaultTenant } from '../tenants/first-start.js';

/** Quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What `npm start` shows once the server listens: its address, the default credentials, and a first call. */
export function welcome(facts: {
  version: string;
  baseUrl: string;
  /** Where the data is stored, as text for a person. */
  store: string;
  tenant: DefaultTenant;
  /** The certificate that curl has to trust, with https. */
  certificate?: string | undefined;
  methods: 'core' | 'all';
  missingScopeStatus: number;
  /** A one-time link into the web UI, if the server has one. */
  link?: string | undefined;
}): string {
  const { tenant, baseUrl } = facts;
  const rows: [string, string][] = [
    ...(facts.link === undefined ? [] : [['Open', facts.link] as [string, string]]),
    ['Base URL', baseUrl],
    ['Workspace', `${tenant.teamName} (${tenant.teamId})`],
    ['Admin', `${tenant.adminEmail}  password: ${tenant.adminPassword}`],
    ['Bot token', tenant.botToken],
    ['User token', tenant.userToken],
    ['App token', tenant.appToken],
    ['Secret', `${tenant.signingSecret} (signs what the server sends to apps)`],
    ['GraphQL', `${baseUrl}/graphql`],
    ['API key', tenant.apiKey],
    ['Data', facts.store],
  ];
  const trust = facts.certificate === undefined ? '' : ` --cacert ${quoted(facts.certificate)}`;
  const curl =
    `curl -sS${trust} ${quoted(`${baseUrl}/api/chat.postMessage`)} -H ${quoted(`Authorization: Bearer ${tenant.botToken}`)}` +
    ` --data-urlencode 'channel=#general' --data-urlencode 'text=Hello from curl'`;
  return [
    `Understudy ${facts.version} is ready.`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`),
    '',
    ...(facts.link === undefined
      ? []
      : ['The link works once, for an hour; npx --no-install understudy open prints another.', '']),
    'A first call:',
    '',
    `  ${curl}`,
    '',
    facts.methods === 'core'
      ? 'Methods: the 27 of the core. SVC_METHODS=all has those beyond them as well (docs/METHODS.md).'
      : 'Methods: all (SVC_METHODS=all).',
    facts.missingScopeStatus === 200
      ? 'A missing scope is answered with status 200, as at Slack.'
      : 'A missing scope is answered with status 403, which official clients repeat; SVC_MISSING_SCOPE_STATUS=200 answers as Slack does.',
    'Ctrl+C stops the server. `npx --no-install understudy tokens` prints the tokens again.',
    ...(facts.link === undefined ? ['A web UI: SVC_MODE=full npm start'] : []),
    '',
  ].join('\n');
}
