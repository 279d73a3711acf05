/** The names that a certificate for the vendors' hosts has, and those that the local authority may sign at all. */

/** In the certificate of each run, and in what `ca issue` writes. */
export const VENDOR_NAMES = ['slack.com', '*.slack.com', 'linear.app', '*.linear.app'] as const;

/** Names below which (and themselves) the authority signs. */
export const PERMITTED_DOMAINS = [
  'slack.com',
  'linear.app',
  'localhost',
  'understudy',
  'host.docker.internal',
  'svc.cluster.local',
] as const;

/** Address and mask of each network that the authority signs for: 127.0.0.0/8 and ::1. */
export const PERMITTED_NETWORKS: readonly { text: string; bytes: readonly number[] }[] = [
  { text: '127.0.0.0/8', bytes: [127, 0, 0, 0, 255, 0, 0, 0] },
  { text: '::1', bytes: [...new Array<number>(15).fill(0), 1, ...new Array<number>(16).fill(255)] },
];

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DNS_NAME = new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`);
const LOOPBACK = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** Whether a name is an address: it then stands in certificates as one. */
export const isAddress = (name: string): boolean => LOOPBACK.test(name) || name === '::1';

/** Whether the authority may sign this name. It must be in lower case. */
export function isPermitted(name: string): boolean {
  if (isAddress(name)) return true;
  if (!DNS_NAME.test(name)) return false;
  const bare = name.replace(/^\*\./, '');
  return PERMITTED_DOMAINS.some((domain) => bare === domain || bare.endsWith(`.${domain}`));
}
