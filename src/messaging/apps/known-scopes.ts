import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import type { Identity } from '../access/identity.js';
import { declaredKinds, hearingRuleOf } from '../events/define-chat-event.js';
import { BEYOND_CORE_KINDS } from '../events/event-names.js';
import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES } from '../provisioning/default-scopes.js';
import type { AppManifest } from '../store/app-manifest.js';
import { manifestWarnings, type ManifestSurface } from '../provisioning/manifest-warnings.js';
import { isPersonAdmin } from '../rest/ownership.js';
import { MethodRegistry, type Method } from '../rpc/method-registry.js';

/** Not required by any core method, but it changes what they show. */
const SHOWS_MORE = 'users:read.email';

const acceptedBy = ({ accepts }: Method): string[] => [...(accepts.bot ?? []), ...(accepts.user ?? [])];

/** Scopes that allow an app to receive a kind of event. */
function scopesToHear(kind: string): string[] {
  const scope = hearingRuleOf(kind)?.scope ?? null;
  return scope === null ? [] : typeof scope === 'string' ? [scope] : Object.values(scope);
}

/** The scopes that an app's tokens will have. */
export interface RequestedScopes {
  readonly bot?: readonly string[] | undefined;
  readonly user?: readonly string[] | undefined;
}

/** Scopes that have a meaning here, and who may request them. */
@Injectable()
export class KnownScopes {
  private all: ReadonlySet<string> | undefined;
  private beyondCore: ReadonlySet<string> | undefined;

  constructor(private readonly methods: MethodRegistry) {}

  /** Those of a default app, and all that methods require. */
  get names(): ReadonlySet<string> {
    this.all ??= new Set([...DEFAULT_BOT_SCOPES, ...DEFAULT_USER_SCOPES, ...this.methods.all.flatMap(acceptedBy)]);
    return this.all;
  }

  /** Scopes with an effect when these methods exist. */
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

  /** Parts of a manifest without effect when these methods exist. */
  warnings(manifest: AppManifest, methods: 'core' | 'all'): string[] {
    return manifestWarnings(manifest, this.surface(methods));
  }

  /**
   * An app token may not create tokens with more scopes than its own, unless it belongs to an admin. Unknown scopes
   * grant nothing and are not checked.
   * @throws RestError 403 not_allowed_token_type, missing_scope
   */
  requireGrantable(caller: Identity, asked: RequestedScopes = {}): void {
    if (!caller.app || isPersonAdmin(caller)) return;
    const known = (scopes: readonly string[] | undefined): string[] =>
      (scopes ?? []).filter((scope) => this.names.has(scope));
    const user = known(asked.user);
    if (caller.kind === 'bot' && user.length > 0) throw new RestError(403, 'not_allowed_token_type');
    if (![...known(asked.bot), ...user].every((scope) => caller.scopes.includes(scope)))
      throw new RestError(403, 'missing_scope');
  }
}
