import { nearest } from '../../kernel/config/unknown-settings.js';
import { MatcherError } from '../../kernel/matchers/matcher-error.js';
import { isObject, readMatcher } from '../../kernel/matchers/matcher.js';
import { parseIsoDate } from '../../kernel/text/iso-date.js';
import { withoutAt } from '../../kernel/text/names.js';
import type { SeedReader } from '../seeds/seed-reader.js';
import { ACTS, TRIGGERS } from './acts.js';
import { hasTemplate } from './templates.js';

type Json = Record<string, unknown>;

/** The most entries of a sandbox. */
export const MAX_ENTRIES = 200;
/** Ten years. */
const LONGEST_SECONDS = 315_619_200;
/** 2100-01-01 */
const LATEST_MS = 4_102_444_800_000;

/** An entry of a script, already checked. */
export interface SeedScriptEntry {
  /** Undefined: it gets the next free number. */
  readonly name: string | undefined;
  /** As it was sent, without what it has of its state. */
  readonly entry: Json;
  /** Of one that is due at a time: microseconds by the sandbox's clock. */
  readonly dueAt: number | undefined;
  readonly fired: number;
  readonly skip: number;
  readonly error: string | undefined;
  readonly act: string;
  readonly fields: Json;
  readonly path: string;
}

const FIELDS = 'name at when after times skip as do fired error';

/** The script of a document. */
export function readScript(value: unknown, read: SeedReader): SeedScriptEntry[] {
  const list = read.list(value, 'script');
  if (list.length > MAX_ENTRIES) read.fault('script', `must hold at most ${MAX_ENTRIES} entries`);
  const names = new Set<string>();
  return list.slice(0, MAX_ENTRIES).map((one, i) => {
    const entry = readEntry(one, `script[${i}]`, read);
    const { name, path } = entry;
    if (name !== undefined && names.has(name)) read.fault(`${path}.name`, `"${name}" is there twice`);
    if (name !== undefined) names.add(name);
    return entry;
  });
}

function readEntry(value: unknown, path: string, read: SeedReader): SeedScriptEntry {
  const sent = read.object(value, path, FIELDS);
  const { fired: _fired, error: _error, ...entry } = sent;
  const isTimed = given(sent['at']);
  if (isObject(value) && isTimed === given(sent['when'])) read.fault(path, 'must have one of "at" and "when"');
  if (given(sent['when'])) readTrigger(sent['when'], `${path}.when`, read);
  for (const field of isTimed ? ['after', 'skip'] : []) {
    if (given(sent[field])) read.fault(`${path}.${field}`, 'goes with "when"');
  }
  if (isTimed && given(sent['times']) && sent['times'] !== 1) read.fault(`${path}.times`, 'goes with "when"');
  const after = read.number(sent['after'], `${path}.after`, 0) ?? 0;
  if (after > LONGEST_SECONDS) read.fault(`${path}.after`, 'must be at most 10 years');
  read.whole(sent['times'], `${path}.times`, 1, 1_000_000);
  read.name(sent['as'], `${path}.as`);
  const [act, fields] = readAct(sent['do'], `${path}.do`, read);
  return {
    name: given(sent['name']) ? read.name(sent['name'], `${path}.name`, 80) : undefined,
    entry,
    dueAt: isTimed ? dueAt(sent['at'], `${path}.at`, read) : undefined,
    fired: read.whole(sent['fired'], `${path}.fired`, 0, 1_000_000_000) ?? 0,
    skip: read.whole(sent['skip'], `${path}.skip`, 0, 1_000_000) ?? 0,
    error: read.text(sent['error'], `${path}.error`, 1_000),
    act,
    fields,
    path,
  };
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

/** Seconds after the sandbox's now, or an ISO time. */
function dueAt(at: unknown, path: string, read: SeedReader): number {
  if (typeof at === 'number' && at >= 0 && at <= LONGEST_SECONDS) return read.nowMicros + Math.round(at * 1e6);
  const ms = (typeof at === 'string' ? parseIsoDate(at) : undefined)?.getTime() ?? NaN;
  if (ms >= 0 && ms < LATEST_MS) return ms * 1000;
  read.fault(path, 'must be seconds from 0 on, or an ISO time');
  return read.nowMicros;
}

function readTrigger(value: unknown, path: string, read: SeedReader): void {
  const when = read.object(value, path, 'for where');
  const wanted = when['for'];
  if (!TRIGGERS.some((one) => one === wanted)) {
    const near = typeof wanted === 'string' ? nearest(wanted, TRIGGERS) : undefined;
    read.fault(`${path}.for`, `must be one of ${TRIGGERS.join(', ')}${hint(near)}`);
  }
  const { where } = when;
  if (!given(where)) return;
  if (!isObject(where)) return read.fault(`${path}.where`, 'must be an object');
  try {
    readMatcher(where, `${path}.where`);
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error;
    read.fault(error.path, error.reason);
  }
}

function readAct(value: unknown, path: string, read: SeedReader): [string, Json] {
  if (!isObject(value) || Object.keys(value).length !== 1) {
    read.fault(path, 'must be one act with its fields, such as {"message": {…}}');
    return ['', {}];
  }
  const [name, sent] = Object.entries(value)[0] as [string, unknown];
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (!act) {
    read.fault(path, `no such act "${name}"${hint(nearest(name, Object.keys(ACTS)))}`);
    return ['', {}];
  }
  const at = `${path}.${name}`;
  const fields =
    act.takes === null ? read.anyObject(sent, at) : read.object(sent, at, [...act.needs, ...act.takes].join(' '));
  for (const field of act.needs) {
    if (field === 'users' && Array.isArray(fields[field])) read.texts(fields[field], `${at}.users`);
    else read.name(fields[field], `${at}.${field}`, 40_000);
  }
  return [name, fields];
}

const hint = (near: string | undefined): string => (near === undefined ? '' : ` (${near}?)`);

/** Identifiers and ids: those of issues that may come later. */
const OTHER_ISSUE = /^(?:[A-Z0-9]{1,7}-\d{1,9}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/** What the entries of a script may name. */
export interface ScriptNames {
  readonly people: readonly string[];
  /** Refs of issues. */
  readonly refs: readonly string[];
}

/** A fault with its path for each name that nothing has. */
export function unknownInScript(script: readonly SeedScriptEntry[], { people, refs }: ScriptNames): string[] {
  return script.flatMap(({ entry, act, fields, path }) => {
    const as = typeof entry['as'] === 'string' ? withoutAt(entry['as']) : '';
    const { issue } = fields;
    const isOther = typeof issue !== 'string' || hasTemplate(issue) || OTHER_ISSUE.test(issue) || refs.includes(issue);
    return [
      ...(as === '' || people.includes(as)
        ? []
        : [`${path}.as: no person has the name "${as}"${hint(nearest(as, people))}`]),
      ...(isOther ? [] : [`${path}.do.${act}.issue: no issue has the ref "${issue}"${hint(nearest(issue, refs))}`]),
    ];
  });
}
