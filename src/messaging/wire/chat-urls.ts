import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';

/**
 * The URLs that a sandbox gives out, in the server's forms or the vendor's (docs/reference/reach.md#urls). `base` is the
 * server's, without a final slash. Pictures stay the server's: no vendor's host here has them.
 */

type Urls = Pick<SandboxFlags, 'urls'> | null;
interface Asker {
  /** The `<domain>` of the workspace's own host. */
  readonly workspaceDomain: string;
  readonly sandbox: Urls;
}

const isVendors = (sandbox: Urls): boolean => sandbox?.urls === 'vendor';

/** What the addresses of a workspace and its messages begin with. */
export const workspaceUrl = (base: string, { sandbox, workspaceDomain }: Asker): string =>
  isVendors(sandbox) ? `https://${workspaceDomain}.slack.com` : base;

/** What the addresses of uploads and contents of files begin with. */
export const filesUrl = (base: string, sandbox: Urls): string =>
  isVendors(sandbox) ? 'https://files.slack.com' : base;

/** What the addresses of files begin with: of their pages, and of what is in them. */
export interface FileUrls {
  readonly page: string;
  readonly content: string;
}

export const fileUrls = (base: string, caller: Asker): FileUrls => ({
  page: workspaceUrl(base, caller),
  content: filesUrl(base, caller.sandbox),
});

/** What the addresses of OAuth begin with: who installs or signs in is sent there. */
export const oauthUrl = (base: string, sandbox: Urls): string => (isVendors(sandbox) ? 'https://slack.com' : base);

/** Where an app connects with a ticket. */
export const socketUrl = (base: string, sandbox: Urls): string =>
  isVendors(sandbox) ? 'wss://wss-primary.slack.com' : base.replace(/^http/, 'ws');

/** Where posts of an incoming webhook go. */
export const postingUrl = (
  base: string,
  sandbox: Urls,
  { workspaceId, id, secret }: { workspaceId: string; id: string; secret: string },
): string =>
  isVendors(sandbox)
    ? `https://hooks.slack.com/services/${workspaceId}/${id}/${secret}`
    : `${base}/api/webhooks/incoming/${id}/${secret}`;

/** A response URL, of a command or of anything else. @param number any digits */
export const responseUrl = (
  base: string,
  sandbox: Urls,
  {
    workspaceId,
    isCommand,
    number,
    secret,
  }: { workspaceId: string; isCommand: boolean; number: string; secret: string },
): string =>
  isVendors(sandbox)
    ? `https://hooks.slack.com/${isCommand ? 'commands' : 'actions'}/${workspaceId}/${number}/${secret}`
    : `${base}/api/interactions/respond/${secret}`;
