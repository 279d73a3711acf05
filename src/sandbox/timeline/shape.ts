import { cursorOf } from './cursor.js';
import { LONG_FIELDS, MAX_BODY, type Entry } from './entry.js';
import { mayHoldSecrets, redact } from './redaction.js';
import type { EventRow } from './timeline.queries.js';

type Fields = Record<string, unknown>;

const SUMMARY_LENGTH = 200;

/** An entry that is no event as it is shown in full. `body`: its long fields. */
export const shapeEntry = (
  seq: number,
  { at, wall, kind, head, body }: { at: number; wall: number; kind: string; head: Fields; body: Fields },
): Entry => ({
  id: cursorOf(seq),
  at: new Date(at).toISOString(),
  wall: new Date(wall).toISOString(),
  kind,
  // a call is written when it ends
  ...(kind === 'call' && typeof head['ms'] === 'number' && { started: new Date(wall - head['ms']).toISOString() }),
  ...head,
  ...body,
});

/** An event as it is shown in full. */
export function shapeEvent(seq: number, row: EventRow): Entry {
  const text = row.data ?? 'null';
  const isCut = text.length > MAX_BODY;
  const parsed = isCut ? undefined : (JSON.parse(text) as Fields);
  const data = isCut ? text.slice(0, MAX_BODY) : mayHoldSecrets(text) ? redact(parsed) : parsed;
  return {
    id: cursorOf(seq),
    at: row.at.toISOString(),
    wall: row.wall.toISOString(),
    kind: 'event',
    product: row.product,
    event: row.event,
    data,
    room: row.room,
    ...(row.sync_id !== null && { last_sync_id: row.sync_id }),
    ...(row.cause !== null && { cause: row.cause }),
    ...(isCut && { truncated: true, length: text.length }),
  };
}

/** The same without long fields, with a one-line summary. */
export function summarize(entry: Entry, bytes: number): Entry {
  const short: Fields = { ...entry };
  for (const field of LONG_FIELDS) delete short[field];
  const { channel, user } = aboutOf(entry);
  return {
    ...(short as Entry),
    summary: summaryOf(entry).slice(0, SUMMARY_LENGTH),
    ...(channel !== undefined && { channel }),
    ...(user !== undefined && { user }),
    ...(entry.kind === 'delivery' && { content: oneLine(contentOf(entry)).slice(0, SUMMARY_LENGTH) }),
    bytes,
  };
}

/** The channel and the person that an entry concerns, if it names them. */
export function aboutOf(entry: Fields): { channel?: string; user?: string } {
  const args = fieldsOf(entry['args']);
  const answer = fieldsOf(entry['answer']);
  const data = fieldsOf(entry['data']);
  const caller = fieldsOf(entry['caller']);
  const item = fieldsOf(data['item']);
  const inRoom = /^conversation:(.+)$/.exec(textOf(entry['room']) ?? '')?.[1];
  const channel =
    textOf(answer['channel']) ??
    textOf(fieldsOf(answer['channel'])['id']) ??
    textOf(args['channel']) ??
    textOf(data['channel']) ??
    textOf(fieldsOf(data['channel'])['id']) ??
    textOf(item['channel']) ??
    inRoom;
  const user =
    textOf(caller['user_id']) ??
    textOf(data['user']) ??
    textOf(fieldsOf(data['user'])['id']) ??
    textOf(fieldsOf(data['actor'])['id']) ??
    textOf(fieldsOf(fieldsOf(data['message'])['user'])['id']) ??
    textOf(fieldsOf(data['message'])['user']);
  return { ...(channel !== undefined && { channel }), ...(user !== undefined && { user }) };
}

/** What a delivery says: the text of its event or command, or the action of its interaction. */
function contentOf(entry: Entry): string {
  const sent = sentFields(fieldsOf(entry['request'])['body']);
  return contentOfSent(sent);
}

/** The same of what was sent. */
export function contentOfSent(sent: Fields): string {
  const [action] = Array.isArray(sent['actions']) ? (sent['actions'] as unknown[]) : [];
  return eventText(sent) || (textOf(fieldsOf(action)['action_id']) ?? '');
}

/** A one-line summary of an entry, by its kind. */
const SUMMARIES: ReadonlyMap<string, (entry: Entry) => string> = new Map([
  ['call', summaryOfCall],
  ['event', summaryOfEvent],
  ['delivery', summaryOfDelivery],
  ['note', (entry: Entry) => oneLine(textOf(entry['text']) ?? '')],
]);

const summaryOf = (entry: Entry): string => (SUMMARIES.get(entry.kind) ?? summaryOfOther)(entry);

function summaryOfCall(entry: Entry): string {
  const args = fieldsOf(entry['args']);
  const text = textOf(args['text']) ?? textOf(args['query']) ?? '';
  const outcome = entry['ok'] === true ? 'ok' : (textOf(entry['error']) ?? String(entry['status']));
  return `${textOf(entry['method']) ?? ''} → ${outcome}${text === '' ? '' : `: ${oneLine(text)}`}`;
}

function summaryOfEvent(entry: Entry): string {
  const text = eventText(fieldsOf(entry['data']));
  return `${textOf(entry['event']) ?? ''}${text === '' ? '' : `: ${oneLine(text)}`}`;
}

/** The text that an event of either product is about: a message's, a reaction's name, an entity's title. */
export function eventText(data: Fields): string {
  const inner = fieldsOf(data['data']);
  return (
    textOf(data['text']) ??
    textOf(fieldsOf(data['message'])['text']) ??
    textOf(data['reaction']) ??
    textOf(inner['identifier']) ??
    textOf(inner['title']) ??
    textOf(inner['body']) ??
    textOf(inner['name']) ??
    ''
  );
}

/** What was sent to an app, as fields: the event of an envelope, the payload of an interaction, a command's form. */
export function sentFields(body: unknown): Fields {
  const fields = fieldsOf(body);
  if ('event' in fields) return fieldsOf(fields['event']);
  if (typeof fields['payload'] !== 'string') return fields;
  try {
    return fieldsOf(JSON.parse(fields['payload']));
  } catch {
    return fields;
  }
}

function summaryOfDelivery(entry: Entry): string {
  const target = fieldsOf(entry['target']);
  const status = fieldsOf(entry['response'])['status'];
  const outcome = typeof status === 'number' ? String(status) : (textOf(entry['error']) ?? '');
  return `${textOf(entry['event']) ?? ''} → ${textOf(target['url']) ?? textOf(target['kind']) ?? ''}: ${outcome}`;
}

function summaryOfOther(entry: Entry): string {
  const { id, at, wall, kind, ...rest } = entry;
  void [id, at, wall];
  return `${kind} ${oneLine(JSON.stringify(rest))}`;
}

const oneLine = (text: string): string => text.slice(0, 2 * SUMMARY_LENGTH).replace(/\s+/g, ' ');
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
