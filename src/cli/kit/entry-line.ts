import { bold, cyan, dim, green, red, yellow } from './output.js';

/** An entry of the timeline, as far as a line tells of it. */
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
  return `${dim(time(entry))} ${body(entry)}${mark}`;
}

function body(entry: Entry): string {
  const ms = entry.ms === undefined ? '' : dim(` ${Math.round(entry.ms)} ms`);
  switch (entry.kind) {
    case 'call': {
      const outcome = entry.ok ? green('ok') : red(entry.error ?? String(entry.status));
      return `${cyan('POST')} ${bold(entry.method ?? '')} ${callerOf(entry)} → ${outcome}${ms}`;
    }
    case 'event':
      return `${cyan('event')} ${bold(entry.event ?? '')} ${dim(entry.summary ?? entry.channel ?? entry.room ?? '')}`;
    case 'delivery': {
      const status = entry.response?.status ?? entry.status;
      const isGood = status !== undefined && status >= 200 && status < 300 && !entry.error;
      const outcome = isGood ? green(String(status)) : red(entry.error ?? String(status));
      const target = entry.target?.url ?? entry.target?.kind ?? '';
      const attempt = (entry.attempt ?? 1) > 1 ? yellow(` (attempt ${entry.attempt})`) : '';
      return `${cyan('deliver')} ${bold(entry.event ?? '')} ${target} → ${outcome}${ms}${attempt}`;
    }
    case 'note':
      return `${cyan('note')} ${entry.text ?? entry.summary ?? ''}`;
    default:
      return `${cyan(entry.kind)} ${dim(entry.summary ?? '')}`;
  }
}
