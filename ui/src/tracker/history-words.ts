import type { Change } from './issue-data.js';
import { priorityName } from './words.js';

interface Named {
  name?: string | null;
  identifier?: string;
  number?: number;
  title?: string;
}

const nameOf = (value: unknown): string => {
  const { name, identifier, number, title } = (value ?? {}) as Named;
  return name ?? identifier ?? (number === undefined ? (title ?? '') : `Cycle ${number}`);
};

/** Things of which an issue has one, as sentences name them. */
const ONES: readonly (readonly [field: string, words: string])[] = [
  ['Assignee', 'the assignee'],
  ['Project', 'the project'],
  ['ProjectMilestone', 'the milestone'],
  ['Cycle', 'the cycle'],
  ['Parent', 'the parent issue'],
  ['Team', 'the team'],
];

const SIGNS: Readonly<Record<string, string>> = {
  b: 'blocks',
  xb: 'is blocked by',
  d: 'duplicates',
  xd: 'is duplicated by',
  r: 'is related to',
  xr: 'is related to',
  s: 'is similar to',
  xs: 'is similar to',
};

/** "moved it from Todo to In Progress": what a change did, one sentence for each thing. */
export function changeWords(change: Change): string[] {
  const words: string[] = [];
  const has = (field: string): boolean => change[field] !== null && change[field] !== undefined;
  if (has('toState')) words.push(`moved it from ${nameOf(change['fromState'])} to ${nameOf(change['toState'])}`);
  if (has('toDelegate')) words.push(`delegated it to ${nameOf(change['toDelegate'])}`);
  else if (has('fromDelegate')) words.push(`took it from ${nameOf(change['fromDelegate'])}`);
  if (has('toTitle')) words.push(`renamed it from “${String(change['fromTitle'])}” to “${String(change['toTitle'])}”`);
  if (change['updatedDescription'] === true) words.push('changed the description');
  if (has('toPriority') || has('fromPriority'))
    words.push(
      `set the priority from ${priorityName(Number(change['fromPriority']))} to ${priorityName(Number(change['toPriority']))}`,
    );
  for (const [field, what] of ONES) {
    const [from, to] = [nameOf(change[`from${field}`]), nameOf(change[`to${field}`])];
    if (to !== '' && from !== '') words.push(`changed ${what} from ${from} to ${to}`);
    else if (to !== '') words.push(field === 'Assignee' ? `assigned it to ${to}` : `set ${what} to ${to}`);
    else if (from !== '') words.push(field === 'Assignee' ? `unassigned ${from}` : `removed ${what} ${from}`);
  }
  for (const [field, what] of [
    ['Estimate', 'the estimate'],
    ['DueDate', 'the due date'],
  ] as const) {
    const [from, to] = [change[`from${field}`], change[`to${field}`]];
    if (to !== null && to !== undefined) words.push(`set ${what} to ${String(to)}`);
    else if (from !== null && from !== undefined) words.push(`removed ${what} ${String(from)}`);
  }
  const labels = (field: string): string =>
    ((change[field] as Named[] | null) ?? []).map((label) => label.name ?? '').join(', ');
  if (labels('addedLabels') !== '') words.push(`added the label ${labels('addedLabels')}`);
  if (labels('removedLabels') !== '') words.push(`removed the label ${labels('removedLabels')}`);
  if (has('attachmentId')) words.push(`attached ${nameOf(change['attachment']) || 'a link'}`);
  for (const { identifier, type } of (change['relationChanges'] as { identifier: string; type: string }[] | null) ??
    []) {
    const said = `that it ${SIGNS[type.slice(1)] ?? 'is related to'} ${identifier}`;
    words.push(type.startsWith('a') ? `noted ${said}` : `no longer says ${said}`);
  }
  if (change['trashed'] === true) words.push('moved it to the trash');
  else if (change['archived'] === true) words.push('archived it');
  else if (change['archived'] === false) words.push('restored it');
  return words.length === 0 ? ['changed it'] : words;
}
