import { ErrorOrder, IsConversationId, Rule, StringArg, TsArg } from '../rpc/args/args.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import { SESSION_STATUSES, type SessionStatus } from '../chat/agent-session.entity.js';
import { readSessionStatus } from '../chat/session-status.js';

const MAX_TITLE = 200;
const THREAD = { malformed: { value: NO_SUCH_TS }, notes: "ts of the thread's first message; needed" } as const;
const KEPT = 'kept until null is sent; ignored without chat:write.customize';

/** Arguments of agents.sessions.setStatus. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_status',
  'channel_not_found',
  'not_authorized',
  'thread_ts_required',
  'thread_not_found',
  'user_not_found',
)
@Rule<AgentsSessionsSetStatusArgs>((args, _report, raw) => {
  args.cleared = (['username', 'icon_emoji', 'icon_url'] as const).filter((name) => raw[name] === null);
})
export class AgentsSessionsSetStatusArgs {
  @IsConversationId({ notes: 'conversation id' })
  channel_id!: string;

  @StringArg({ required: true, read: readSessionStatus, notes: SESSION_STATUSES.join(', ') })
  status!: SessionStatus;

  /** Microseconds. */
  @TsArg(THREAD)
  thread_ts?: number;

  @StringArg({ max: MAX_TITLE, notes: 'only when the session is made' })
  title?: string;

  @StringArg({ notes: 'a user of the workspace; only when the session is made' })
  initiator_user_id?: string;

  @StringArg({ max: 200, notes: KEPT })
  username?: string;

  @StringArg({ notes: KEPT })
  icon_emoji?: string;

  @StringArg({ notes: KEPT })
  icon_url?: string;

  /** Which of name and icons are taken away. */
  cleared!: readonly ('username' | 'icon_emoji' | 'icon_url')[];
}

/** Arguments of agents.sessions.rename. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'thread_ts_required', 'session_not_found', 'not_authorized')
export class AgentsSessionsRenameArgs {
  @IsConversationId({ notes: 'conversation id' })
  channel_id!: string;

  @StringArg({ required: true, max: MAX_TITLE })
  title!: string;

  /** Microseconds. */
  @TsArg(THREAD)
  thread_ts?: number;
}
