import type { DefaultTenant } from '../tenants/first-start.js';

/** Quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What `npm start` shows once the server listens: where it is, who one can be, and a first call. */
export function welcome(facts: {
  version: string;
  baseUrl: string;
  /** Where the data is, in a person's words. */
  store: string;
  tenant: DefaultTenant;
  /** Certificate that curl has to trust, with https. */
  certificate?: string | undefined;
}): string {
  const { tenant, baseUrl } = facts;
  const rows: [string, string][] = [
    ['Base URL', baseUrl],
    ['Workspace', `${tenant.teamName} (${tenant.teamId})`],
    ['Admin', `${tenant.adminEmail}  password: ${tenant.adminPassword}`],
    ['Bot token', tenant.botToken],
    ['User token', tenant.userToken],
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
    'A first call:',
    '',
    `  ${curl}`,
    '',
    'Ctrl+C stops the server. `npx --no-install understudy tokens` prints the tokens again.',
    '',
  ].join('\n');
}
