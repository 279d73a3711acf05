import { CONTENT_KEYS, PASSING, PROMPT_SIGNALS } from '../../tracker/issues/agents/content-keys.js';
import { snakeCase as inDocument } from '../../kernel/database/store-names.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedActivity, SeedSession } from './seed-types.js';

const STATUSES = ['pending', 'active', 'awaitingInput', 'complete', 'error', 'stopping', 'stale'];
const BODY_MAX = 250_000;
/** What an activity has besides the keys of its content. */
const COMMON = 'id type as at ephemeral signal signal_metadata';

/** What applications did as agents in an issue (docs/reference/tracker-agents.md#documents). */
export function readSessions(value: unknown, path: string, read: SeedReader): SeedSession[] {
  return read.list(value, path).map((one, i) => {
    const at = `${path}[${i}]`;
    const session = read.object(
      one,
      at,
      'id app status as at delegated dismissed summary plan external_urls external_link activities',
    );
    const status = read.text(session['status'], `${at}.status`, 20) ?? 'pending';
    if (!STATUSES.includes(status)) read.fault(`${at}.status`, `must be one of ${STATUSES.join(', ')}`);
    return {
      id: read.uuid(session['id'], `${at}.id`),
      app: read.name(session['app'], `${at}.app`),
      status,
      as: read.text(session['as'], `${at}.as`, 255),
      at: read.at(session['at'], `${at}.at`),
      isDelegated: read.flag(session['delegated'], `${at}.delegated`) ?? false,
      dismissed: read.text(session['dismissed'], `${at}.dismissed`, 255),
      summary: read.text(session['summary'], `${at}.summary`, 255),
      plan: readSteps(session['plan'], `${at}.plan`, read),
      externalUrls: read.list(session['external_urls'], `${at}.external_urls`).map((link, n) => {
        const place = `${at}.external_urls[${n}]`;
        const { label, url } = read.object(link, place, 'label url');
        return { label: read.name(label, `${place}.label`), url: read.url(url, `${place}.url`) };
      }),
      externalLink:
        session['external_link'] === undefined ? undefined : read.url(session['external_link'], `${at}.external_link`),
      activities: read
        .list(session['activities'], `${at}.activities`)
        .map((said, n) => readActivity(said, `${at}.activities[${n}]`, read)),
      path: at,
    };
  });
}

function readSteps(value: unknown, path: string, read: SeedReader): object[] | undefined {
  if (value === undefined || value === null) return undefined;
  return read.list(value, path).map((one, i) => {
    const step = read.object(one, `${path}[${i}]`, 'content status');
    const status = read.name(step['status'], `${path}[${i}].status`);
    const known = ['pending', 'inProgress', 'completed', 'canceled'];
    if (!known.includes(status)) read.fault(`${path}[${i}].status`, `must be one of ${known.join(', ')}`);
    return { content: read.name(step['content'], `${path}[${i}].content`, BODY_MAX), status };
  });
}

function readActivity(value: unknown, path: string, read: SeedReader): SeedActivity {
  const given = read.anyObject(value, path);
  const type = String(given['type']);
  if (!Object.hasOwn(CONTENT_KEYS, type))
    read.fault(`${path}.type`, `must be one of ${Object.keys(CONTENT_KEYS).join(', ')}`);
  const { needs, may } = CONTENT_KEYS[type as keyof typeof CONTENT_KEYS] ?? { needs: [], may: [] };
  read.object(value, path, [COMMON, ...[...needs, ...may].map(inDocument)].join(' '));
  const content: Record<string, unknown> = { type };
  for (const key of needs) content[key] = read.name(given[inDocument(key)], `${path}.${inDocument(key)}`, BODY_MAX);
  for (const key of may) {
    const text = read.text(given[inDocument(key)], `${path}.${inDocument(key)}`, BODY_MAX);
    if (text !== undefined) content[key] = text;
  }
  const isEphemeral = read.flag(given['ephemeral'], `${path}.ephemeral`) ?? false;
  if (isEphemeral && !PASSING.includes(type)) read.fault(`${path}.ephemeral`, `does not go with the type ${type}`);
  const signal = read.text(given['signal'], `${path}.signal`, 20);
  const isPrompt = type === 'prompt';
  if (isPrompt && signal !== undefined && !PROMPT_SIGNALS.includes(signal))
    read.fault(`${path}.signal`, `must be one of ${PROMPT_SIGNALS.join(', ')}`);
  if (!isPrompt && given['as'] !== undefined) read.fault(`${path}.as`, 'goes with the type prompt');
  const metadata = given['signal_metadata'];
  return {
    id: read.uuid(given['id'], `${path}.id`),
    type,
    content,
    as: read.text(given['as'], `${path}.as`, 255),
    at: read.at(given['at'], `${path}.at`),
    isEphemeral,
    signal,
    signalMetadata:
      metadata === undefined || metadata === null ? undefined : read.anyObject(metadata, `${path}.signal_metadata`),
    path,
  };
}
