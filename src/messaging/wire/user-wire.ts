import { seenId } from '../../kernel/clock/request-sandbox.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { pictureUrl, unicodeOf } from './emoji-pictures.js';
import { stripDiacritics } from './text.js';
import type { StoredProfile, User } from '../store/user.entity.js';

/** How a user is looked at. */
export interface UserView {
  readonly publicUrl: string;
  /** Seconds: a status that expired by then is not shown. */
  readonly now: number;
  /** Whether the e-mail address is shown: `users:read.email`, or a JWT. */
  readonly withEmail: boolean;
  readonly withLocale?: boolean;
  /** Adds `label` to each custom field. */
  readonly withLabels?: boolean;
}

const IMAGE_SIZES = [24, 32, 48, 72, 192, 512];

/** Pictures of a user, by their sizes. */
export const imagesOf = (userId: string, publicUrl: string): Record<string, string> =>
  Object.fromEntries(IMAGE_SIZES.map((size) => [`image_${size}`, `${publicUrl}/avatars/${userId}-${size}.png`]));

/** `auto` means active: there is no idle timer (users.setPresence). */
export const effectivePresence = (presence: User['presence']): 'active' | 'away' =>
  presence === 'away' ? 'away' : 'active';

/** The profile without a status whose time is over. @param now seconds */
export function withoutExpiredStatus(profile: StoredProfile, now: number): StoredProfile {
  const { status_expiration: expiration = 0 } = profile;
  if (expiration === 0 || expiration > now) return profile;
  return { ...profile, status_text: '', status_emoji: '', status_expiration: 0 };
}

/** docs/reference/chat.md#profiles. */
export function toWireProfile(user: User, view: UserView): Record<string, unknown> {
  const profile = withoutExpiredStatus(user.profile, view.now);
  const { real_name: realName = '', display_name: displayName = '' } = profile;
  return {
    title: profile.title ?? '',
    phone: profile.phone ?? '',
    skype: profile.skype ?? '',
    real_name: realName,
    real_name_normalized: stripDiacritics(realName),
    display_name: displayName,
    display_name_normalized: stripDiacritics(displayName),
    ...(profile.pronouns ? { pronouns: profile.pronouns } : {}),
    fields: toWireFields(profile.fields ?? {}, view.withLabels ?? false),
    status_text: profile.status_text ?? '',
    status_emoji: profile.status_emoji ?? '',
    status_emoji_display_info: displayInfo(profile.status_emoji ?? '', view.publicUrl),
    status_expiration: profile.status_expiration ?? 0,
    status_text_canonical: '',
    avatar_hash: `g${sha256Hex(seenId(user.id)).slice(0, 11)}`,
    ...(user.isBot ? { api_app_id: user.appId ?? '', bot_id: user.botId ?? '', always_active: false } : {}),
    first_name: profile.first_name ?? '',
    last_name: profile.last_name ?? '',
    ...(view.withEmail && user.email !== null && !user.isBot ? { email: user.email } : {}),
    ...imagesOf(user.id, view.publicUrl),
    team: user.workspaceId,
  };
}

/** Of a standard emoji, what it looks like. */
function displayInfo(emoji: string, baseUrl: string): object[] {
  const unicode = unicodeOf(emoji);
  if (unicode === undefined) return [];
  const name = emoji.replace(/^:|:$/g, '');
  return [{ emoji_name: name, display_url: pictureUrl(baseUrl, unicode), unicode }];
}

/** Fields are not defined anywhere, so an id is all there is to label one with. */
function toWireFields(fields: NonNullable<StoredProfile['fields']>, withLabels: boolean): object {
  if (!withLabels) return fields;
  return Object.fromEntries(Object.entries(fields).map(([id, field]) => [id, { ...field, label: id }]));
}

/** docs/reference/chat.md#users. */
export function toWireUser(user: User, view: UserView): Record<string, unknown> {
  const profile = toWireProfile(user, view);
  const updated = Math.floor(user.updatedAt / 1e6);
  if (user.isDeleted) {
    return {
      id: user.id,
      team_id: user.workspaceId,
      name: user.name,
      deleted: true,
      profile,
      is_bot: user.isBot,
      is_app_user: false,
      updated,
    };
  }
  const isOwner = user.role === 'primary_owner' || user.role === 'owner';
  return {
    id: user.id,
    team_id: user.workspaceId,
    name: user.name,
    deleted: false,
    color: user.color,
    real_name: profile['real_name'],
    tz: 'Etc/UTC',
    tz_label: 'Coordinated Universal Time',
    tz_offset: 0,
    profile,
    is_admin: user.role !== 'member',
    is_owner: isOwner,
    is_primary_owner: user.role === 'primary_owner',
    is_restricted: false,
    is_ultra_restricted: false,
    is_bot: user.isBot,
    is_app_user: false,
    updated,
    is_email_confirmed: true,
    who_can_share_contact_card: 'EVERYONE',
    ...(user.isBot ? {} : { has_2fa: false }),
    presence: effectivePresence(user.presence),
    ...(view.withLocale ? { locale: 'en-US' } : {}),
  };
}
