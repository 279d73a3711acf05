import { Injectable } from '@nestjs/common';
import type { OwnClient } from '../../kernel/http/own-calls.js';
import { newAlphanumeric } from '../../kernel/ids/ids.js';

/** Whose token a call of this process is made with, and who asked for it. */
export interface CallPass {
  /** SHA-256 (hex) of the token: no more of it is stored. */
  readonly tokenHash: string;
  /** Who asked for it; undefined: the app itself. */
  readonly actedBy?: string | undefined;
  readonly client?: OwnClient | undefined;
}

/**
 * Credentials for calls that this process makes itself with an app's token, as in replaying one. They are random, are
 * known to this process alone, and end with the call.
 */
@Injectable()
export class CallPasses {
  private readonly passes = new Map<string, CallPass>();

  /** Runs a call with a credential that stands for the token. */
  async during<T>(pass: CallPass, call: (credential: string) => Promise<T>): Promise<T> {
    const credential = `xoxb-pass-${newAlphanumeric(40)}`;
    this.passes.set(credential, pass);
    try {
      return await call(credential);
    } finally {
      this.passes.delete(credential);
    }
  }

  /** What a credential stands for, if it is one of these. */
  of(credential: string): CallPass | undefined {
    return this.passes.get(credential);
  }
}
