import type { JsonObject } from '../../graphql/scalars.js';
import { invalidArgument } from '../../values/errors.js';

/** What a link is, by its url (docs/reference/tracker.md#attachment). */
export interface Link {
  readonly sourceType: string;
  readonly url: string;
  readonly title: string;
  readonly metadata: JsonObject;
}

/** The groups of a pattern on the url without its scheme, or undefined. */
const matching = (url: string, pattern: RegExp): readonly string[] | undefined =>
  pattern.exec(url.replace(/^https?:\/\//i, ''))?.slice(1);

const GITHUB = {
  pull: /^github\.com\/([^/]+)\/([^/]+)\/pull\/(\d+)(?:[/?#]|$)/i,
  issues: /^github\.com\/([^/]+)\/([^/]+)\/issues\/(\d+)(?:[/?#]|$)/i,
};
const GITLAB = /^[^/]+\/(.+)\/-\/merge_requests\/(\d+)(?:[/?#]|$)/i;
const SLACK = /^[^/]+\.slack\.com\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})(?:[/?#]|$)/i;
const DISCORD = /^(?:\w+\.)?discord\.com\/channels\/[^/]+\/([^/]+)\/([^/?#]+)/i;
const ZENDESK = /^[^/]+\.zendesk\.com\/agent\/tickets\/(\d+)/i;
const JIRA = /^[^/]+\.atlassian\.net\/browse\/([^/?#]+)/i;
const INTERCOM = /^app\.intercom\.com\/(?:.*\/conversation\/([^/?#]+))?/i;
const FRONT = /^app\.frontapp\.com\/(?:open\/([^/?#]+))?/i;

/** @throws invalidArgument for another url */
export function githubLink(url: string, kind: keyof typeof GITHUB, linkKind?: string): Link {
  const found = matching(url, GITHUB[kind]);
  if (!found) throw notOf('GitHub', kind === 'pull' ? 'pull request' : 'issue');
  const [owner, repo, number] = found;
  const metadata = { owner, repo, number: Number(number), status: 'open', ...(linkKind !== undefined && { linkKind }) };
  return { sourceType: 'github', url, title: `${owner}/${repo}#${number}`, metadata };
}

/** @throws invalidArgument for another url */
export function gitlabLink(url: string, projectPathWithNamespace?: string, number?: number): Link {
  const found = matching(url, GITLAB);
  if (!found) throw notOf('GitLab', 'merge request');
  const metadata = {
    projectPathWithNamespace: projectPathWithNamespace ?? found[0],
    number: number ?? Number(found[1]),
    status: 'open',
  };
  return { sourceType: 'gitlab', url, title: `${metadata.projectPathWithNamespace}!${metadata.number}`, metadata };
}

export function slackLink(url: string, syncToCommentThread?: boolean): Link {
  const [channelId, seconds, micros] = matching(url, SLACK) ?? [];
  const metadata = {
    ...(channelId !== undefined && { channelId, messageTs: `${seconds}.${micros}` }),
    ...(syncToCommentThread !== undefined && { syncToCommentThread }),
  };
  return { sourceType: 'slack', url, title: 'Message on Slack', metadata };
}

export const discordLink = (url: string, channelId: string, messageId: string): Link => ({
  sourceType: 'discord',
  url,
  title: 'Message on Discord',
  metadata: { channelId, messageId },
});

export const zendeskLink = (ticketId: string, url?: string): Link => ({
  sourceType: 'zendesk',
  url: url ?? `https://example.zendesk.com/agent/tickets/${encodeURIComponent(ticketId)}`,
  title: `Ticket ${ticketId}`,
  metadata: { ticketId },
});

export const intercomLink = (conversationId: string, partId?: string, url?: string): Link => ({
  sourceType: 'intercom',
  url: url ?? `https://app.intercom.com/a/inbox/_/inbox/conversation/${encodeURIComponent(conversationId)}`,
  title: `Conversation ${conversationId}`,
  metadata: { conversationId, ...(partId !== undefined && { partId }) },
});

export const frontLink = (conversationId: string, url?: string): Link => ({
  sourceType: 'front',
  url: url ?? `https://app.frontapp.com/open/${encodeURIComponent(conversationId)}`,
  title: `Conversation ${conversationId}`,
  metadata: { conversationId },
});

export const jiraLink = (issueId: string, url?: string): Link => ({
  sourceType: 'jira',
  url: url ?? `https://example.atlassian.net/browse/${encodeURIComponent(issueId)}`,
  title: issueId,
  metadata: { issueId },
});

export const salesforceLink = (url: string): Link => ({ sourceType: 'salesforce', url, title: 'Case', metadata: {} });

/** Any url: as what it looks like, else `unknown`. */
export function linkOf(url: string): Link {
  if (matching(url, GITHUB.pull)) return githubLink(url, 'pull');
  if (matching(url, GITHUB.issues)) return githubLink(url, 'issues');
  if (matching(url, GITLAB)) return gitlabLink(url);
  if (matching(url, SLACK)) return slackLink(url);
  const [channelId, messageId] = matching(url, DISCORD) ?? [];
  if (channelId !== undefined && messageId !== undefined) return discordLink(url, channelId, messageId);
  const [ticketId] = matching(url, ZENDESK) ?? [];
  if (ticketId !== undefined) return zendeskLink(ticketId, url);
  const [key] = matching(url, JIRA) ?? [];
  if (key !== undefined) return jiraLink(key, url);
  const intercom = matching(url, INTERCOM);
  if (intercom) return conversation(intercom[0], 'intercom', url);
  const front = matching(url, FRONT);
  if (front) return conversation(front[0], 'front', url);
  return { sourceType: 'unknown', url, title: url, metadata: {} };
}

/** A page of a support desk that shows no conversation is called by its url. */
const conversation = (id: string | undefined, sourceType: 'intercom' | 'front', url: string): Link =>
  id === undefined
    ? { sourceType, url, title: url, metadata: {} }
    : sourceType === 'intercom'
      ? intercomLink(id, undefined, url)
      : frontLink(id, url);

const notOf = (service: string, thing: string) =>
  invalidArgument('url', 'matches', `url must be that of a ${service} ${thing}`);
