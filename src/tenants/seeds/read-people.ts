import type { SeedReader } from './seed-reader.js';
import type { SeedUser } from './seed-types.js';

type Json = Record<string, unknown>;

export const HANDLE = /^[a-z0-9][a-z0-9._-]{0,79}$/;
/** The profile fields that are stored. */
export const PROFILE_FIELDS: readonly string[] =
  'real_name display_name first_name last_name title phone skype pronouns status_text status_emoji status_expiration fields image_24 image_32 image_48 image_72 image_192 image_512 image_1024 image_original'.split(
    ' ',
  );
const FIELDS = 'id name real_name email is_admin presence profile user_token api_key';
const MAX_USERS = 1_000;

/** Generates this many people. */
function made(count: number, read: SeedReader): Json[] {
  const checked = read.whole(count, 'users', 0, MAX_USERS) ?? 0;
  return Array.from({ length: checked }, (_, i) => ({ name: `user-${i + 1}` }));
}

/** @param passwords whether people may have one (provisioning) */
export function readUsers(value: unknown, read: SeedReader, passwords: boolean): SeedUser[] {
  if (typeof value === 'number') value = made(value, read);
  const names = new Set<string>();
  return read.list(value, 'users').map((one, i) => {
    const path = `users[${i}]`;
    // `users: [alice]` is short for `users: [{ name: alice }]`
    const user =
      typeof one === 'string' ? { name: one } : read.object(one, path, `${FIELDS}${passwords ? ' password' : ''}`);
    const password = passwords ? read.text(user['password'], `${path}.password`, 72) : undefined;
    if (password !== undefined && [...password].length < 8)
      read.fault(`${path}.password`, 'must have at least 8 characters');
    const name = String(user['name'] ?? '');
    if (!HANDLE.test(name)) {
      read.fault(`${path}.name`, 'must be 1 to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit');
    } else if (names.has(name)) read.fault(`${path}.name`, `"${name}" is there twice`);
    names.add(name);
    const email = read.text(user['email'], `${path}.email`, 254);
    if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) {
      read.fault(`${path}.email`, 'must be an e-mail address');
    }
    const { presence, profile } = user;
    if (presence !== undefined && presence !== 'auto' && presence !== 'away') {
      read.fault(`${path}.presence`, 'must be auto or away');
    }
    return {
      name,
      id: read.id(user['id'], `${path}.id`, 'U'),
      realName: read.text(user['real_name'], `${path}.real_name`, 80),
      email,
      isAdmin: read.flag(user['is_admin'], `${path}.is_admin`),
      presence: presence === 'away' || presence === 'auto' ? presence : undefined,
      profile: readProfile(profile, `${path}.profile`, read),
      userToken: read.token(user['user_token'], `${path}.user_token`, 'xoxp-'),
      apiKey: read.token(user['api_key'], `${path}.api_key`, 'svc_api_'),
      password,
      passwordHash: null,
      path,
    };
  });
}

/** The stored profile; the e-mail is a field of the user. */
function readProfile(value: unknown, path: string, read: SeedReader): Json {
  if (value === undefined || value === null) return {};
  const profile = read.object(value, path, PROFILE_FIELDS.join(' '));
  return Object.fromEntries(Object.entries(profile).filter(([key]) => key !== 'email'));
}
