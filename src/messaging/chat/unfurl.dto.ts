import { checkAttachments, checkMetadata, type Attachment } from '../wire/blocks.js';
import { isJsonObject } from '../wire/text.js';
import type { WorkObject } from '../wire/work-objects.js';
import { ErrorOrder, IgnoredArg, ObjectArg, Rule, StringArg, type RawArgs, type Report } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { parseTs } from '../store/message-ts.js';

const NO_EFFECT = { notes: 'accepted, no effect' };
const SOURCES = ['composer', 'conversations_history'];

const wrongFormat = new Fault('must hold attachments by URL', 'invalid_unfurls_format');

/** By URL; each value is an attachment of a message. */
function readUnfurls(value: Record<string, unknown>): Map<string, Attachment> | Fault {
  const unfurls = new Map<string, Attachment>();
  for (const [url, unfurl] of Object.entries(value)) {
    const checked = isJsonObject(unfurl) ? checkAttachments([unfurl]) : null;
    const [attachment] = checked && 'attachments' in checked ? checked.attachments : [];
    if (!attachment) return wrongFormat;
    unfurls.set(url, attachment);
  }
  return unfurls;
}

/** The work objects of `metadata`. */
function readEntities(value: Record<string, unknown>): readonly WorkObject[] | Fault {
  const checked = checkMetadata(value);
  const entities = 'metadata' in checked ? checked.metadata.entities : undefined;
  return entities ?? new Fault('must hold 1 to 10 entities', 'invalid_metadata_format');
}

const noUnfurls = new Fault('is missing', 'missing_unfurls');
const absent = (name: 'channel' | 'ts' | 'unfurl_id' | 'source'): Fault => new Fault('is missing', `missing_${name}`);
const isSent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Either the message's place, or the id of `link_shared`. */
function readPlace(args: ChatUnfurlArgs, report: Report, raw: RawArgs): void {
  if (isSent(raw['unfurl_id']) || isSent(raw['source'])) {
    if (!isSent(raw['unfurl_id'])) return report('unfurl_id', absent('unfurl_id'));
    if (!isSent(raw['source'])) return report('source', absent('source'));
    if (!SOURCES.includes(args.source ?? '')) report('source', new Fault('is unknown', 'invalid_source'));
    const [, channel, ts] = /^([CDG]0[0-9A-Z]{9})\.(\d{10}\.\d{6})\.[0-9a-f]{24}$/.exec(args.unfurl_id ?? '') ?? [];
    if (channel === undefined) return report('unfurl_id', new Fault('is unknown', 'invalid_unfurl_id'));
    args.place = { channel, ts: parseTs(ts) };
    return;
  }
  if (!isSent(raw['channel'])) return report('channel', absent('channel'));
  if (!isSent(raw['ts'])) return report('ts', absent('ts'));
  args.place = { channel: args.channel ?? '', ts: parseTs(args.ts) };
}

/** Arguments of chat.unfurl. */
@ErrorOrder(
  'missing_unfurls',
  'missing_channel',
  'missing_ts',
  'missing_unfurl_id',
  'missing_source',
  'invalid_source',
  'invalid_unfurls_format',
  'invalid_metadata_format',
  'invalid_unfurl_id',
  'cannot_find_channel',
  'cannot_find_message',
  'cannot_unfurl_url',
)
@Rule<ChatUnfurlArgs>((args, report, raw) => {
  if (!isSent(raw['unfurls']) && !isSent(raw['metadata'])) report('unfurls', noUnfurls);
  readPlace(args, report, raw);
})
export class ChatUnfurlArgs {
  @ObjectArg({
    code: 'invalid_unfurls_format',
    read: readUnfurls,
    notes: 'URL → attachment or {"blocks":[…]}; needed unless metadata is sent',
  })
  unfurls?: ReadonlyMap<string, Attachment>;

  @ObjectArg({
    code: 'invalid_metadata_format',
    read: readEntities,
    notes: '{"entities":[…]}, each with app_unfurl_url',
  })
  metadata?: readonly WorkObject[];

  @StringArg({ notes: 'with ts' })
  channel?: string;

  @StringArg({ notes: 'with channel' })
  ts?: string;

  @StringArg({ notes: 'of link_shared, with source' })
  unfurl_id?: string;

  @StringArg({ notes: 'composer or conversations_history' })
  source?: string;

  @IgnoredArg(NO_EFFECT) user_auth_required?: unknown;
  @IgnoredArg(NO_EFFECT) user_auth_message?: unknown;
  @IgnoredArg(NO_EFFECT) user_auth_url?: unknown;
  @IgnoredArg(NO_EFFECT) user_auth_blocks?: unknown;

  /** The message; `ts` in microseconds, undefined when it is malformed. */
  place!: { readonly channel: string; readonly ts: number | undefined };
}
