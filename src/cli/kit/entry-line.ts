import { bold, cyan, dim, green, red, yellow } from './output.js';

/** A timeline entry, with the fields that a printed line needs. */
export interface Entry {
  id: string;
  at: string;
  wall: string;
  kind: string;
  method?: string;
  caller?: { kind: string; app?: string; user?: string };
  ok?: boolean;
  status?: number;
  error?: string | null;
  ms?: number;
  fault?: string;
  event?: string;
  room?: string;
  channel?: string;
  user?: string;
  summary?: string;
  attempt?: number;
  target?: { kind: string; url?: string | null };
  response?: { status: number };
  text?: string;
  [key: string]: unknown;
}

const time = (entry: Entry): string => new Date(entry.wall).toTimeString().slice(0, 8);
const callerOf = ({ caller }: Entry): string => caller?.app ?? caller?.user ?? caller?.kind ?? '';

/** One line: `12:00:01 POST chat.postMessage deploy-bot → ok 3 ms`. */
export function entryLine(entry: Entry): string {
  const mark = entry.fault ? yellow(' ⚡') : '';
  return `${dim(time(entry))} ${(LINES.get(entry.kind) ?? otherLine)(entry)}${mark}`;
}

const msOf = ({ ms }: Entry): string => (ms === undefined ? '' : dim(` ${Math.round(ms)} ms`));

/** The text of an entry, by its kind. */
const LINES: ReadonlyMap<string, (entry: Entry) => string> = new Map([
  ['call', callLine],
  ['event', eventLine],
  ['delivery', deliveryLine],
  ['note', ({ text, summary }: Entry) => `${cyan('note')} ${text ?? summary ?? ''}`],
]);

function callLine(entry: Entry): string {
  const outcome = entry.ok ? green('ok') : red(entry.error ?? String(entry.status));
  return `${cyan('POST')} ${bold(entry.method ?? '')} ${callerOf(entry)} → ${outcome}${msOf(entry)}`;
}

function eventLine(entry: Entry): string {
  return `${cyan('event')} ${bold(entry.event ?? '')} ${dim(entry.summary ?? entry.channel ?? entry.room ?? '')}`;
}

function deliveryLine(entry: Entry): string {
  const status = entry.response?.status ?? entry.status;
  const isGood = status !== undefined && status >= 200 && status < 300 && !entry.error;
  const outcome = isGood ? green(String(status)) : red(entry.error ?? String(status));
  const target = entry.target?.url ?? entry.target?.kind ?? '';
  const attempt = (entry.attempt ?? 1) > 1 ? yellow(` (attempt ${entry.attempt})`) : '';
  return `${cyan('deliver')} ${bold(entry.event ?? '')} ${target} → ${outcome}${msOf(entry)}${attempt}`;
}

const otherLine = ({ kind, summary }: Entry): string => `${cyan(kind)} ${dim(summary ?? '')}`;
