import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../kernel/config/package-root.js';
import { STORE_PASSWORD, type Trust } from './trust.js';
import type { Vendor } from './vendors.js';

/** Variables that name a file with roots, which replace all others. */
const BUNDLES = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'AWS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'DENO_CERT',
];

/** How the programs of a run reach its ports. */
export interface Interception {
  readonly proxyPort: number;
  readonly password: string;
  /** The proxy without a password, for Java. */
  readonly javaPort: number | undefined;
  readonly tlsPort: number;
  readonly trust: Trust;
  readonly vendors: readonly Vendor[];
  readonly isOffline: boolean;
  /** The host of the server. */
  readonly serverHost: string;
}

/** The variables that lead a program's connections to the vendors' hosts here (docs/reference/reach.md#variables). */
export function intercepting(env: NodeJS.ProcessEnv, to: Interception): Record<string, string> {
  const { trust } = to;
  const proxy = `http://run:${to.password}@127.0.0.1:${to.proxyPort}`;
  const before = env['NO_PROXY'] || env['no_proxy'];
  const direct = [...new Set(['localhost', '127.0.0.1', '::1', to.serverHost, ...(before ? before.split(',') : [])])];
  const variables: Record<string, string> = {
    UNDERSTUDY_RUN: JSON.stringify({ port: to.tlsPort, ca: trust.authority, vendors: to.vendors }),
    NODE_OPTIONS: [env['NODE_OPTIONS'], `--require=${quoted(PRELOAD)}`].filter(Boolean).join(' '),
    NODE_EXTRA_CA_CERTS: trust.added(env['NODE_EXTRA_CA_CERTS']),
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    NO_PROXY: direct.join(','),
    no_proxy: direct.join(','),
  };
  if (to.isOffline) Object.assign(variables, { HTTP_PROXY: proxy, http_proxy: proxy });
  for (const name of BUNDLES) variables[name] = trust.bundle(env[name]);
  if (to.javaPort !== undefined) variables['JAVA_TOOL_OPTIONS'] = javaOptions(env, to.javaPort, trust);
  return variables;
}

const PRELOAD = join(PACKAGE_ROOT, 'bin', 'run-preload.cjs');

/** As Node reads NODE_OPTIONS: blanks within quotes, and a backslash before what would be read otherwise. */
const quoted = (path: string): string => (/[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, String.raw`\$&`)}"` : path);

function javaOptions(env: NodeJS.ProcessEnv, port: number, trust: Trust): string {
  const options = [
    '-Dhttps.proxyHost=127.0.0.1',
    `-Dhttps.proxyPort=${port}`,
    '-Dhttp.nonProxyHosts=localhost|127.*',
    `-Djavax.net.ssl.trustStore=${trust.keyStore()}`,
    `-Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}`,
  ];
  return [env['JAVA_TOOL_OPTIONS'], ...options.map((option) => (/\s/.test(option) ? `"${option}"` : option))]
    .filter(Boolean)
    .join(' ');
}
