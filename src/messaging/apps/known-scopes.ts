import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import type { Identity } from '../access/identity.js';
import { declaredKinds, hearingRuleOf } from '../events/define-chat-event.js';
import { BEYOND_CORE_KINDS } from '../events/event-names.js';
import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES, type AppManifest } from '../provisioning/default-scopes.js';
import { manifestWarnings, type ManifestSurface } from '../provisioning/manifest-warnings.js';
import { isPersonAdmin } from '../rest/ownership.js';
import { MethodRegistry, type Method } from '../rpc/method-registry.js';

/** No core method asks for it, and yet it changes what they show. */
const SHOWS_MORE = 'users:read.email';

const acceptedBy = ({ accepts }: Method): string[] => [...(accepts.bot ?? []), ...(accepts.user ?? [])];

/** Scopes that let an app hear of a kind of event. */
function scopesToHear(kind: string): string[] {
  const scope = hearingRuleOf(kind)?.scope ?? null;
  return scope === null ? [] : typeof scope === 'string' ? [scope] : Object.values(scope);
}

/** What the tokens of an app are to hold. */
export interface RequestedScopes {
  readonly bot?: readonly string[] | undefined;
  readonly user?: readonly string[] | undefined;
}

/** Scopes that mean something here, and who may ask for them. */
@Injectable()
export class KnownScopes {
  private all: ReadonlySet<string> | undefined;
  private beyondCore: ReadonlySet<string> | undefined;

  constructor(private readonly methods: MethodRegistry) {}

  /** Those that a default app holds, and whatever a method asks for. */
  get names(): ReadonlySet<string> {
    this.all ??= new Set([...DEFAULT_BOT_SCOPES, ...DEFAULT_USER_SCOPES, ...this.methods.all.flatMap(acceptedBy)]);
    return this.all;
  }

  /** What manifests can ask for to some effect, where these methods are. */
  surface(methods: 'core' | 'all'): ManifestSurface {
    if (!this.beyondCore) {
      const ofMethods = (isCore: boolean): string[] =>
        this.methods.all.filter((method) => (method.isCore || method.isHandshake) === isCore).flatMap(acceptedBy);
      const ofKinds = (isCore: boolean): string[] =>
        declaredKinds()
          .filter((kind) => BEYOND_CORE_KINDS.includes(kind) !== isCore)
          .flatMap(scopesToHear);
      const core = new Set([...ofMethods(true), ...ofKinds(true), SHOWS_MORE]);
      this.beyondCore = new Set([...ofMethods(false), ...ofKinds(false)].filter((scope) => !core.has(scope)));
    }
    return { scopes: this.names, scopesBeyondCore: this.beyondCore, methods };
  }

  /** What of a manifest has no effect where these methods are. */
  warnings(manifest: AppManifest, methods: 'core' | 'all'): string[] {
    return manifestWarnings(manifest, this.surface(methods));
  }

  /**
   * An app's token gets no tokens that may do more than itself, unless it is an admin's. What is no scope here grants
   * nothing and binds nobody.
   * @throws RestError 403 not_allowed_token_type, missing_scope
   */
  demand(caller: Identity, asked: RequestedScopes = {}): void {
    if (!caller.app || isPersonAdmin(caller)) return;
    const known = (scopes: readonly string[] | undefined): string[] =>
      (scopes ?? []).filter((scope) => this.names.has(scope));
    const user = known(asked.user);
    if (caller.kind === 'bot' && user.length > 0) throw new RestError(403, 'not_allowed_token_type');
    if (![...known(asked.bot), ...user].every((scope) => caller.scopes.includes(scope)))
      throw new RestError(403, 'missing_scope');
  }
}
