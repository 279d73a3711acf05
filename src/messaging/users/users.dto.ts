import { IsIn } from 'class-validator';
import { cleanText, isJsonObject, isLongerThan } from '../wire/text.js';
import { BooleanArg, CursorArg, ErrorOrder, LimitArg, ObjectArg, Rule, StringArg } from '../rpc/args/args.js';
import { Fault, toObject } from '../rpc/args/coerce.js';
import { TypesArg, type ConversationTypeWord } from '../rpc/args/conversation-types.js';

/** Arguments of users.list. */
@ErrorOrder('invalid_limit', 'invalid_cursor')
export class UsersListArgs {
  /** 0: everything in one page. */
  @LimitArg({ default: 0, max: 1000, notes: '0 or absent: everything in one page; larger is clamped' })
  limit!: number;

  /** What the cursor names. */
  @CursorArg('user')
  cursor?: string;

  @BooleanArg({ default: false, notes: 'adds locale' })
  include_locale!: boolean;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}

/** Arguments of users.info. */
@ErrorOrder('invalid_arguments', 'user_not_found')
export class UsersInfoArgs {
  @StringArg({ required: true, notes: 'user id' })
  user!: string;

  @BooleanArg({ default: false, notes: 'adds locale' })
  include_locale!: boolean;
}

/** Arguments of users.profile.get. */
@ErrorOrder('user_not_found')
export class UsersProfileGetArgs {
  /** Undefined: the caller. */
  @StringArg({ documentedDefault: 'caller', notes: 'user id' })
  user?: string;

  @BooleanArg({ default: false, notes: 'adds label to each custom field' })
  include_labels!: boolean;
}

/** A custom profile field as it may be set. */
export interface ProfileField {
  value: string;
  alt: string;
}

const TEXT_KEYS = [
  'real_name',
  'display_name',
  'first_name',
  'last_name',
  'title',
  'phone',
  'skype',
  'pronouns',
  'email',
  'status_text',
  'status_emoji',
] as const;

/** The writable keys of a profile that a call sets, each of the right type. */
export type ProfileChanges = { [K in (typeof TEXT_KEYS)[number]]?: string } & {
  /** Unix seconds, 0 = never. */
  status_expiration?: number;
  /** By field id (`Xf…`). */
  fields?: Record<string, ProfileField>;
};

export const MAX_PROFILE_KEYS = 50;
/** Longest `display_name`; over it `invalid_arguments`, for the contract names no code of its own. */
export const MAX_DISPLAY_NAME = 80;
/** Longest `status_text`; over it `too_long`, which the service answers after looking at user and rights. */
export const MAX_STATUS_TEXT = 100;

const badProfile = new Fault('is no profile', 'invalid_profile');
const longName = new Fault(`display_name must be at most ${MAX_DISPLAY_NAME} characters`, 'invalid_arguments');

/** What a set of keys and values changes, or undefined when a value has the wrong type. Unknown keys are dropped. */
function readChanges(profile: Record<string, unknown>): ProfileChanges | undefined {
  const changes: ProfileChanges = {};
  for (const key of TEXT_KEYS) {
    const value = profile[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') return undefined;
    changes[key] = cleanText(value);
  }
  const { email, status_emoji: emoji } = changes;
  if (email !== undefined && !isEmail(email)) return undefined;
  if (emoji && !/^:[^:\s]+(?:::skin-tone-[2-6])?:$/.test(emoji)) return undefined;

  const expiration = profile['status_expiration'];
  if (expiration !== undefined && expiration !== null) {
    const seconds = typeof expiration === 'string' && /^\d+$/.test(expiration) ? Number(expiration) : expiration;
    if (!Number.isSafeInteger(seconds) || (seconds as number) < 0) return undefined;
    changes.status_expiration = seconds as number;
  }
  const fields = profile['fields'];
  if (fields !== undefined && fields !== null) {
    const read = readFields(fields);
    if (!read) return undefined;
    changes.fields = read;
  }
  return changes;
}

function readFields(value: unknown): Record<string, ProfileField> | undefined {
  const sent = toObject(value);
  if (!isJsonObject(sent) || sent instanceof Fault) return undefined;
  const fields = Object.create(null) as Record<string, ProfileField>;
  for (const [id, field] of Object.entries(sent)) {
    if (!isJsonObject(field)) return undefined;
    const { value: text, alt = '' } = field;
    if (typeof text !== 'string' || typeof alt !== 'string') return undefined;
    if (/^Xf[0-9A-Z]{1,30}$/.test(id)) fields[id] = { value: text, alt };
  }
  return fields;
}

function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@"<>,;:\\]+@[^\s@"<>,;:\\.]+(?:\.[^\s@"<>,;:\\.]+)*$/.test(text);
}

/** Arguments of users.profile.set. */
@ErrorOrder(
  'invalid_profile',
  'user_not_found',
  'not_admin',
  'too_long',
  'must_clear_both_status_text_and_status_emoji',
  'email_taken',
  'invalid_starts_with_at',
)
@Rule<UsersProfileSetArgs>((args, report) => {
  const { profile, name, value } = args;
  let changes: ProfileChanges | undefined;
  if (name !== undefined) changes = value === undefined ? undefined : readChanges({ [name]: value });
  else if (profile && Object.keys(profile).length <= MAX_PROFILE_KEYS) changes = readChanges(profile);
  if (!changes) return report('profile', badProfile);
  if (isLongerThan(changes.display_name ?? '', MAX_DISPLAY_NAME)) report('profile', longName);
  args.changes = changes;
})
export class UsersProfileSetArgs {
  @ObjectArg({ max: MAX_PROFILE_KEYS, code: 'invalid_profile', notes: 'key/value pairs, at most 50' })
  profile?: Record<string, unknown>;

  @StringArg({ notes: 'one key; wins over profile' })
  name?: string;

  @StringArg({ keepEmpty: true, notes: 'its value' })
  value?: string;

  /** Undefined: the caller. */
  @StringArg({ documentedDefault: 'caller', notes: 'another user: admins only' })
  user?: string;

  /** What to change, from `name` and `value` or from `profile`. */
  changes!: ProfileChanges;
}

/** Arguments of users.setPresence. */
@ErrorOrder('invalid_arguments', 'invalid_presence')
export class UsersSetPresenceArgs {
  @StringArg({ required: true, notes: 'auto or away' })
  @IsIn(['auto', 'away'], { context: { code: 'invalid_presence' } })
  presence!: 'auto' | 'away';
}

/** Arguments of users.lookupByEmail. */
@ErrorOrder('invalid_arguments', 'users_not_found')
export class UsersLookupByEmailArgs {
  @StringArg({ required: true, notes: 'e-mail address, any case' })
  email!: string;
}

/** Arguments of users.getPresence. */
@ErrorOrder('user_not_found')
export class UsersGetPresenceArgs {
  /** Undefined: the caller. */
  @StringArg({ documentedDefault: 'caller', notes: 'user id' })
  user?: string;
}

/** Arguments of users.conversations. */
@ErrorOrder('invalid_types', 'invalid_limit', 'invalid_cursor', 'user_not_found')
export class UsersConversationsArgs {
  /** Undefined: the caller. */
  @StringArg({ documentedDefault: 'caller', notes: 'user id' })
  user?: string;

  @TypesArg()
  types!: readonly ConversationTypeWord[];

  @BooleanArg({ default: false })
  exclude_archived!: boolean;

  @LimitArg({ default: 100, max: 999, notes: 'larger is clamped' })
  limit!: number;

  /** What the cursor names. */
  @CursorArg('user_team')
  cursor?: string;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}
