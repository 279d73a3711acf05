import { MessagingError } from '../wire/codes.js';
import { isLongerThan } from '../wire/text.js';
import type { StoredProfile } from '../store/user.entity.js';
import { MAX_STATUS_TEXT, type ProfileChanges } from './users.dto.js';

const PLAIN = ['title', 'phone', 'skype', 'pronouns', 'display_name'] as const;

/**
 * Refusals that do not depend on other accounts: the codes before `email_taken` (users.profile.set).
 * @param current without an expired status
 * @throws MessagingError too_long, must_clear_both_status_text_and_status_emoji
 */
export function checkStatus(current: StoredProfile, changes: ProfileChanges): void {
  const text = changes.status_text ?? current.status_text ?? '';
  if (isLongerThan(text, MAX_STATUS_TEXT)) throw new MessagingError('too_long');
  if (changes.status_emoji === '' && text !== '') {
    throw new MessagingError('must_clear_both_status_text_and_status_emoji');
  }
}

/**
 * A profile with validated changes.
 * @param current without an expired status
 */
export function changedProfile(current: StoredProfile, changes: ProfileChanges): StoredProfile {
  const next: StoredProfile = { ...current, ...namesOf(current, changes), ...statusOf(current, changes) };
  for (const key of PLAIN) if (changes[key] !== undefined) next[key] = changes[key];
  if (changes.fields) {
    const fields = { ...current.fields, ...changes.fields };
    // what was emptied is gone
    next.fields = Object.fromEntries(
      Object.entries(fields).filter(([, field]) => field.value !== '' || field.alt !== ''),
    );
  }
  return next;
}

/** A real name is its first word and the rest; setting either of these rebuilds the real name. */
function namesOf(current: StoredProfile, changes: ProfileChanges): StoredProfile {
  const { real_name: whole, first_name: newFirst, last_name: newLast } = changes;
  if (whole === undefined && newFirst === undefined && newLast === undefined) return {};
  let { first_name: first = '', last_name: last = '' } = current;
  if (whole !== undefined) {
    const words = whole.trim();
    const space = words.search(/\s/);
    first = space === -1 ? words : words.slice(0, space);
    last = space === -1 ? '' : words.slice(space).trim();
    if (newFirst === undefined && newLast === undefined)
      return { real_name: whole, first_name: first, last_name: last };
  }
  first = newFirst ?? first;
  last = newLast ?? last;
  return { real_name: `${first} ${last}`.trim(), first_name: first, last_name: last };
}

function statusOf(current: StoredProfile, changes: ProfileChanges): StoredProfile {
  const { status_text: newText, status_emoji: newEmoji, status_expiration: newExpiration } = changes;
  if (newText === undefined && newEmoji === undefined && newExpiration === undefined) return {};
  const text = newText ?? current.status_text ?? '';
  const emoji = newEmoji ?? (newText ? ':speech_balloon:' : (current.status_emoji ?? ''));
  if (text === '' && emoji === '') return { status_text: '', status_emoji: '', status_expiration: 0 };
  // a new status without an expiration never expires, however long the old one was to last
  const anew = newText !== undefined || newEmoji !== undefined;
  const expiration = newExpiration ?? (anew ? 0 : (current.status_expiration ?? 0));
  return { status_text: text, status_emoji: emoji, status_expiration: expiration };
}
