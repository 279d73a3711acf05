import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import type { Identity } from '../access/identity.js';
import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES } from '../provisioning/default-scopes.js';
import { isPersonAdmin } from '../rest/ownership.js';
import { MethodRegistry } from '../rpc/method-registry.js';

/** What the tokens of an app are to hold. */
export interface AskedScopes {
  readonly bot?: readonly string[] | undefined;
  readonly user?: readonly string[] | undefined;
}

/** Scopes that mean something here, and who may ask for them. */
@Injectable()
export class KnownScopes {
  private all: ReadonlySet<string> | undefined;

  constructor(private readonly methods: MethodRegistry) {}

  /** Those that a default app holds, and whatever a method asks for. */
  get names(): ReadonlySet<string> {
    this.all ??= new Set([
      ...DEFAULT_BOT_SCOPES,
      ...DEFAULT_USER_SCOPES,
      ...this.methods.all.flatMap(({ accepts }) => [...(accepts.bot ?? []), ...(accepts.user ?? [])]),
    ]);
    return this.all;
  }

  /**
   * An app's token gets no tokens that may do more than itself, unless it is an admin's. What is no scope here grants
   * nothing and binds nobody.
   * @throws RestError 403 not_allowed_token_type, missing_scope
   */
  demand(caller: Identity, asked: AskedScopes = {}): void {
    if (!caller.app || isPersonAdmin(caller)) return;
    const known = (scopes: readonly string[] | undefined): string[] =>
      (scopes ?? []).filter((scope) => this.names.has(scope));
    const user = known(asked.user);
    if (caller.kind === 'bot' && user.length > 0) throw new RestError(403, 'not_allowed_token_type');
    if (![...known(asked.bot), ...user].every((scope) => caller.scopes.includes(scope)))
      throw new RestError(403, 'missing_scope');
  }
}
