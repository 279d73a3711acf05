import { Injectable } from '@nestjs/common';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;

/** The secret half of an incoming webhook's URL. Its id is the `bot_id` of messages, which everybody sees. */
@Injectable()
export class HookSecrets {
  constructor(private readonly secrets: InstanceSecrets) {}

  /** Depends on the installation and the id, so that nothing of it is stored. */
  of(hookId: string): string {
    return this.secrets.derive(`incoming-webhook:${hookId}`, ALPHABET, LENGTH);
  }

  opens(hookId: string, secret: string): boolean {
    return isSameSecret(secret, this.of(hookId));
  }
}
