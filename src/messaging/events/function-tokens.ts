import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Tokens of custom steps (docs/reference/chat.md#custom-steps). A token follows from its execution's id and this
 * installation's secret, so that it is nowhere stored in the clear: deliveries of `function_executed` are given it when
 * they are sent.
 */
@Injectable()
export class FunctionTokens {
  private readonly key: Buffer;

  constructor(secrets: InstanceSecrets) {
    this.key = secrets.key('function tokens');
  }

  of(executionId: string): string {
    const bytes = [...createHmac('sha512', this.key).update(executionId).digest()];
    const digits = bytes.slice(0, 12).map((byte) => byte % 10);
    const letters = bytes.slice(12, 36).map((byte) => ALPHANUMERIC[byte % ALPHANUMERIC.length]);
    return `xwfp-${digits.join('')}-${letters.join('')}`;
  }
}
