import {
  BooleanArg,
  CursorArg,
  ErrorOrder,
  IgnoredArg,
  IntegerArg,
  ListArg,
  Rule,
  StringArg,
} from '../rpc/args/args.js';
import { Fault, toText } from '../rpc/args/coerce.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { isBlank } from '../wire/text.js';
import { SortArg, SortDirArg } from './search.dto.js';

export type ContentType = 'messages' | 'files' | 'channels' | 'users';

const CONTENT_TYPES: readonly string[] = ['messages', 'files', 'channels', 'users'] satisfies ContentType[];

/** Types of conversations by the words of `channel_types`. */
export const CHANNEL_TYPES: Readonly<Record<string, ConversationType>> = {
  public_channel: 'public',
  private_channel: 'private',
  mpim: 'mpim',
  im: 'im',
};

const wordsOf =
  (known: readonly string[]) =>
  (list: string[]): string[] | Fault =>
    list.every((word) => known.includes(word)) ? list : new Fault(`must hold words of ${known.join(', ')}`);

const NO_EFFECT = { notes: 'accepted, no effect' };
const MAX_QUERY = 500;

/** Arguments of assistant.search.context. */
@ErrorOrder(
  'missing_query',
  'query_too_long',
  'invalid_arguments',
  'invalid_action_token',
  'context_channel_not_found',
  'invalid_cursor',
)
@Rule<AssistantSearchContextArgs>((_args, report, raw) => {
  const query = toText(raw['query']);
  if (typeof query === 'string' && query !== '' && isBlank(query)) {
    report('query', new Fault('asks for nothing', 'missing_query'));
  }
})
export class AssistantSearchContextArgs {
  @StringArg({
    required: true,
    missing: 'missing_query',
    max: MAX_QUERY,
    tooLong: 'query_too_long',
    notes: 'words, and the modifiers of search.messages',
  })
  query!: string;

  @StringArg({ notes: 'of an event; bot tokens need one' })
  action_token?: string;

  @ListArg({ read: wordsOf(CONTENT_TYPES), notes: 'messages (default), files, channels, users' })
  content_types?: ContentType[];

  @ListArg({
    read: wordsOf(Object.keys(CHANNEL_TYPES)),
    notes: 'public_channel (default), private_channel, mpim, im; bots see the first alone',
  })
  channel_types?: string[];

  @IntegerArg({ default: 20, max: 20, notes: 'of each type' })
  limit!: number;

  /** The page the cursor names. */
  @CursorArg('page')
  cursor?: number;

  @IntegerArg({ default: 0, max: 4_000_000_000, notes: 'only before this time, in seconds' })
  before!: number;

  @IntegerArg({ default: 0, max: 4_000_000_000, notes: 'only after this time, in seconds' })
  after!: number;

  @SortArg()
  sort!: 'score' | 'timestamp';

  @SortDirArg()
  sort_dir!: 'asc' | 'desc';

  @BooleanArg({ default: false, notes: 'what apps wrote, and bots, too' })
  include_bots!: boolean;

  @BooleanArg({ default: false, notes: 'two messages on each side' })
  include_context_messages!: boolean;

  @BooleanArg({ default: false })
  include_message_blocks!: boolean;

  @BooleanArg({ default: false })
  include_archived_channels!: boolean;

  @BooleanArg({ default: false })
  include_deleted_users!: boolean;

  @StringArg({ notes: 'must be visible; no further effect' })
  context_channel_id?: string;

  @BooleanArg({ default: false, notes: 'wraps matched words in U+E000 … U+E001' })
  highlight!: boolean;

  @IgnoredArg(NO_EFFECT)
  term_clauses?: unknown;

  @IgnoredArg(NO_EFFECT)
  modifiers?: unknown;

  @IgnoredArg(NO_EFFECT)
  disable_semantic_search?: unknown;
}
