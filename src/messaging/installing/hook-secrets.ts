import { Injectable } from '@nestjs/common';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import { idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;
/** In a sandbox with ids of its own the first characters say which: the id alone would not. */
const KEY_LENGTH = 6;

/** The secret half of an incoming webhook's URL. Its id is the `bot_id` of messages, which everybody sees. */
@Injectable()
export class HookSecrets {
  constructor(private readonly secrets: InstanceSecrets) {}

  /** Depends on the installation and the id, so that nothing of it is stored. */
  of(hookId: string): string {
    return this.secretOf(hookId, ownIds());
  }

  /** The stored id of the hook that a URL with this id and secret posts to; undefined: none. */
  opened(id: string, secret: string): string | undefined {
    if (isSameSecret(secret, this.secretOf(id, null))) return id;
    const ids = idSpaceOf(keyIn(secret));
    const hookId = ids?.inside(id) ?? id;
    return ids && isSameSecret(secret, this.secretOf(hookId, ids)) ? hookId : undefined;
  }

  private secretOf(hookId: string, ids: IdSpace | null): string {
    const secret = this.secrets.derive(`incoming-webhook:${hookId}`, ALPHABET, LENGTH);
    return ids ? textOfKey(ids.key) + secret.slice(KEY_LENGTH) : secret;
  }
}

function textOfKey(key: number): string {
  let text = '';
  for (let rest = key; text.length < KEY_LENGTH; rest = Math.floor(rest / ALPHABET.length)) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  }
  return text;
}

/** Null for what begins with none. */
function keyIn(secret: string): number | null {
  const digits = Array.from(secret.slice(0, KEY_LENGTH), (character) => ALPHABET.indexOf(character));
  const key = digits.reduce((sum, digit) => sum * ALPHABET.length + digit, 0);
  return digits.length === KEY_LENGTH && !digits.includes(-1) && key > 0 ? key : null;
}
