import { ArrayArg, ErrorOrder, IsConversationId, StringArg, TsArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import { isJsonObject } from '../wire/text.js';

const CHANNEL = { notes: 'conversation id' };
const THREAD = { code: 'invalid_thread_ts', notes: "ts of the thread's first message" } as const;

const CUSTOM = 'ignored without chat:write.customize';

const tooMany = new Fault('must have at most 10 items');
const notTexts = new Fault('must hold strings');

function readTexts(list: unknown[]): string[] | Fault {
  if (!list.every((item) => typeof item === 'string')) return notTexts;
  return list.length > 10 ? tooMany : list;
}

const wrongPrompts = new Fault('must hold one to four objects with title and message');

/** An empty list counts as absent. */
function readPrompts(list: unknown[]): { title: string; message: string }[] | undefined | Fault {
  if (list.length === 0) return undefined;
  const isPrompt = (item: unknown): item is { title: string; message: string } =>
    isJsonObject(item) && typeof item['title'] === 'string' && typeof item['message'] === 'string';
  if (list.length > 4 || !list.every(isPrompt)) return wrongPrompts;
  return list.map(({ title, message }) => ({ title, message }));
}

/** Arguments of assistant.threads.setStatus. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'invalid_thread_ts')
export class AssistantThreadsSetStatusArgs {
  @IsConversationId(CHANNEL)
  channel_id!: string;

  /** Microseconds. */
  @TsArg({ ...THREAD, required: true, malformed: { value: NO_SUCH_TS } })
  thread_ts!: number;

  @StringArg({ required: true, keepEmpty: true, notes: 'the empty string clears it' })
  status!: string;

  @ArrayArg({ max: 10, read: readTexts, notes: 'shown in turn' })
  loading_messages?: string[];

  @StringArg({ max: 200, notes: CUSTOM })
  username?: string;

  @StringArg({ notes: CUSTOM })
  icon_emoji?: string;

  @StringArg({ notes: CUSTOM })
  icon_url?: string;
}

/** Arguments of assistant.threads.setTitle. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'invalid_thread_ts')
export class AssistantThreadsSetTitleArgs {
  @IsConversationId(CHANNEL)
  channel_id!: string;

  /** Microseconds. */
  @TsArg({ ...THREAD, required: true, malformed: { value: NO_SUCH_TS } })
  thread_ts!: number;

  @StringArg({ required: true })
  title!: string;
}

/** Arguments of assistant.threads.setSuggestedPrompts. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'invalid_thread_ts')
export class AssistantThreadsSetSuggestedPromptsArgs {
  @IsConversationId(CHANNEL)
  channel_id!: string;

  /** Microseconds; undefined: the conversation as a whole. */
  @TsArg({ ...THREAD, malformed: { value: NO_SUCH_TS } })
  thread_ts?: number;

  @ArrayArg({ required: true, max: 4, read: readPrompts, notes: 'one to four of {title, message}' })
  prompts!: { title: string; message: string }[];

  @StringArg({ notes: 'heading of the prompts' })
  title?: string;
}
