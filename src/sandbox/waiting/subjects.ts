import type { Matcher } from '../../kernel/matchers/matcher.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import type { Entry } from '../timeline/entry.js';
import { fieldsOf } from '../timeline/shape.js';
import type { WaitRequest } from './wait-request.js';
import type { WaitFor } from './wait-kinds.js';

/** The part of an entry that is matched; undefined when the entry is not of the awaited kind. */
export function subjectOf(request: Pick<WaitRequest, 'for' | 'where'>, entry: Entry): unknown {
  switch (request.for) {
    case 'message':
    case 'ephemeral':
      return messageOf(request, entry);
    case 'issue': {
      const event = entry['event'];
      if (typeof event !== 'string' || !/^issue\.(created|updated)$/.test(event)) return undefined;
      return issueView(fieldsOf(fieldsOf(entry['data'])['data']), request.where);
    }
    case 'quiet':
      return (names(request.where, 'kind') || entry.kind === 'event') && entry.kind !== 'note' ? entry : undefined;
    case 'idle':
      return undefined;
    default:
      return entry.kind === (request.for satisfies WaitFor) ? entry : undefined;
  }
}

/**
 * A message without subtype. An ephemeral one is not stored: `message` means it only where the matcher says
 * `ephemeral`, which is a field of both here.
 */
function messageOf(request: Pick<WaitRequest, 'for' | 'where'>, entry: Entry): object | undefined {
  const data = fieldsOf(entry['data']);
  if (entry.kind !== 'event' || entry['event'] !== 'message' || data['subtype'] !== undefined) return undefined;
  const ephemeral = data['is_ephemeral'] === true;
  const says = names(request.where, 'ephemeral') || names(request.where, 'is_ephemeral');
  if (request.for === 'ephemeral' ? !ephemeral : ephemeral && !says) return undefined;
  return says ? { ...data, ephemeral, is_ephemeral: ephemeral } : data;
}

const names = (where: Matcher | null, field: string): boolean =>
  where?.kind === 'object' && where.fields.some(([key]) => key === field);

/** Replaces objects of an issue by their names where the matcher has a string. */
const NAMES: Readonly<Record<string, string>> = {
  state: 'name',
  team: 'key',
  assignee: 'name',
  creator: 'name',
  project: 'name',
  cycle: 'number',
  parent: 'identifier',
};

/** An issue with state, team and people as names where the matcher has strings for them. */
export function issueView(issue: Readonly<Record<string, unknown>>, where: Matcher | null): Record<string, unknown> {
  const view: Record<string, unknown> = { ...issue };
  if (where?.kind !== 'object') return view;
  for (const [key, matcher] of where.fields) {
    const name = NAMES[key];
    const value = view[key];
    if (matcher.kind === 'object') continue;
    if (name !== undefined && isObject(value)) view[key] = value[name];
    if (key === 'labels' && Array.isArray(value)) {
      view[key] = value.map((label) => (isObject(label) ? label['name'] : label));
    }
  }
  return view;
}
