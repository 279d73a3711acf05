import type { Entry } from '../timeline/entry.js';
import { fieldsOf } from '../timeline/shape.js';
import { refKey, type Shown } from './changes.service.js';

/** By which an object that changed is known in the events about it. */
export function objectKey(entity: string, shown: Shown): string {
  const { channel, ts, user, reaction } = shown;
  switch (entity) {
    case 'reaction':
      return key('reaction', channel, ts, user, reaction);
    case 'member':
      return key('member', channel, user);
    case 'message':
      return key('message', ...refKey(entity, shown));
    default:
      return key(shown['id']);
  }
}

const key = (...parts: unknown[]): string => parts.map(String).join(' ');

/** The object that an event is about. */
function keyOfEvent({ product, event, data: sent }: Entry): string {
  const data = fieldsOf(sent);
  if (product === 'tracker') return key(fieldsOf(data['data'])['id']);
  const { channel, user } = data;
  switch (event) {
    case 'message': {
      const ts = data['deleted_ts'] ?? fieldsOf(data['message'])['ts'] ?? data['ts'];
      return key('message', channel, ts);
    }
    case 'reaction_added':
    case 'reaction_removed': {
      const item = fieldsOf(data['item']);
      return key('reaction', item['channel'], item['ts'], user, data['reaction']);
    }
    case 'member_joined_channel':
    case 'member_left_channel':
      return key('member', channel, user);
    default:
      return key(fieldsOf(channel)['id'] ?? channel);
  }
}

/**
 * Keys of objects with which nobody but the script of the sandbox has done anything.
 * @param entries events and acts of the script, in order
 */
export async function onlyByScripts(entries: AsyncIterable<{ readonly entry: Entry }>): Promise<Set<string>> {
  const requests = new Set<unknown>();
  const events: { readonly key: string; readonly cause: unknown }[] = [];
  for await (const { entry } of entries) {
    if (entry.kind === 'script') requests.add(entry['request_id']);
    else events.push({ key: keyOfEvent(entry), cause: entry['cause'] });
  }
  if (requests.size === 0) return new Set();
  const others = new Set(events.flatMap(({ key: known, cause }) => (requests.has(cause) ? [] : [known])));
  return new Set(events.flatMap(({ key: known, cause }) => (requests.has(cause) && !others.has(known) ? [known] : [])));
}
