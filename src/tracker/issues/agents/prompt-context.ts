import type { ContextComment, ContextIssue } from './agent-sessions.queries.js';

/** The longest text that an agent is told, in characters. */
const MAX = 100_000;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inAttribute = (text: string): string => escaped(text).replaceAll('"', '&quot;');

/** Whose rule it is. */
export interface GuidanceRule {
  readonly body: string;
  readonly origin: { readonly type: 'workspace' } | { readonly type: 'team'; readonly team: TeamOfRule };
}

interface TeamOfRule {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly displayName: string;
}

/** How the agent is to work: rules of the organization, then of the team. */
export function guidanceOf({ guidance, teamGuidance, teamId: id, teamKey: key, team: name }: ContextIssue) {
  const team: TeamOfRule = { id, key, name, displayName: name };
  const rules: GuidanceRule[] = [
    ...(guidance === null ? [] : [{ body: guidance, origin: { type: 'workspace' as const } }]),
    ...(teamGuidance === null ? [] : [{ body: teamGuidance, origin: { type: 'team' as const, team } }]),
  ];
  return rules;
}

/**
 * What an agent is told at the beginning of a session (docs/reference/tracker-agents.md#events).
 * @param comments of all threads that are told, the oldest first
 * @param threadId the first comment of the session's thread
 * @param isMentioned whether that thread is what the agent is asked in
 */
export function promptContext(
  issue: ContextIssue,
  comments: readonly ContextComment[],
  { threadId, isMentioned }: { threadId: string; isMentioned: boolean },
): string {
  const tops = comments.filter(({ id, parentId }) => parentId === null && id !== threadId).toReversed();
  const parts = [
    issueText(issue),
    ...(isMentioned ? [threadText('primary-directive-thread', threadId, comments)] : []),
    ...tops.map(({ id }) => threadText('other-thread', id, comments)),
    ...guidanceText(guidanceOf(issue)),
  ];
  return parts.join('\n\n').slice(0, MAX);
}

function issueText(issue: ContextIssue): string {
  const { identifier, title, description, team, labels, parentIdentifier, parentTitle, project } = issue;
  const about = issue.projectDescription ?? '';
  return [
    `<issue identifier="${inAttribute(identifier)}">`,
    `<title>${escaped(title)}</title>`,
    ...(description ? [`<description>${escaped(description)}</description>`] : []),
    `<team name="${inAttribute(team)}"/>`,
    ...labels.map((label) => `<label>${escaped(label)}</label>`),
    ...(parentIdentifier === null
      ? []
      : [
          `<parent-issue identifier="${inAttribute(parentIdentifier)}"><title>${escaped(parentTitle ?? '')}</title></parent-issue>`,
        ]),
    ...(project === null ? [] : [`<project name="${inAttribute(project)}">${escaped(about)}</project>`]),
    '</issue>',
  ].join('\n');
}

function threadText(tag: string, id: string, comments: readonly ContextComment[]): string {
  const own = comments.filter((comment) => comment.id === id || comment.parentId === id);
  return [
    `<${tag} comment-id="${id}">`,
    ...own.map(
      ({ author, createdAt, body }) =>
        `<comment author="${inAttribute(author)}" created-at="${timeOf(createdAt)}">${escaped(body)}</comment>`,
    ),
    `</${tag}>`,
  ].join('\n');
}

/** `2026-01-01 09:00:00` */
const timeOf = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');

function guidanceText(rules: readonly GuidanceRule[]): string[] {
  if (rules.length === 0) return [];
  const lines = rules.map(({ body, origin }) => {
    const from =
      origin.type === 'team' ? `origin="team" team-name="${inAttribute(origin.team.name)}"` : 'origin="workspace"';
    return `<guidance-rule ${from}>${escaped(body)}</guidance-rule>`;
  });
  return [['<guidance>', ...lines, '</guidance>'].join('\n')];
}
