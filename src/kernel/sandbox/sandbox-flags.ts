import { Inject, Injectable } from '@nestjs/common';
import type { SandboxTime } from '../clock/request-sandbox.js';
import { idSpaceOf, type IdSpace } from '../ids/id-space.js';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { StoreInfo } from '../database/store-info.js';
import { lru } from '../lru.js';

/**
 * What every call needs to know of its sandbox. It is loaded with the caller (`sb.flags` in the same statement), so a
 * sandbox without special settings costs nothing. A sandbox is a tenant; an organization without a workspace is not one
 * and has no flags.
 */
export interface SandboxFlags {
  /** `Sb…` */
  readonly id: string;
  readonly tenantId: number;
  /** Whether calls and the bodies of deliveries are kept in the timeline. */
  readonly journal: boolean;
  /** The methods that exist here. */
  readonly methods: 'core' | 'all';
  /** The factor of chat allowances here: its own, or the server's. 0: no limits. */
  readonly rateLimitMultiplier: number;
  /** HTTP status of `missing_scope` here. */
  readonly missingScopeStatus: number;
  /** Which forms URLs have that are given out: this server's, or the vendors' (docs/reference/reach.md#urls). */
  readonly urls: 'server' | 'vendor';
  /** Null: its ids are the server's. */
  readonly ids: IdSpace | null;
  /** What new ids are derived from, where they are its own. */
  readonly randomSeed: number;
  /** Whether the same calls have the same answers: one call after the other takes effect. */
  readonly isDeterministic: boolean;
  /** Prefix of the keys of its allowances. It changes when used allowances are reset. */
  readonly allowances: string;
  /** Null: real time. */
  readonly time: SandboxTime | null;
  /** How far a frozen clock goes on after each answered call, in milliseconds. */
  readonly tickMs: number;
  /** The clock that the timestamps of signatures use. */
  readonly signWith: 'wall' | 'sandbox';
  readonly hasFaults: boolean;
  readonly hasDeliveryRules: boolean;
}

interface StoredFlags {
  id: string;
  tenantId: number;
  origin: 'default' | 'made' | 'provisioned';
  journal: boolean | null;
  methods: 'core' | 'all' | null;
  multiplier: number | null;
  missingScopeStatus: number | null;
  urls: 'server' | 'vendor';
  allowances: number;
  offset: number;
  frozenAt: number | null;
  signWith: 'wall' | 'sandbox';
  tick: number;
  faults: boolean;
  rules: boolean;
  ids: number | null;
  seed: number;
  deterministic: boolean;
}

/** How many different texts are cached: a sandbox has one at a time. */
const REMEMBERED = 20_000;

/** Parses `sandboxes.flags`, with the server's settings where the sandbox has none of its own. */
@Injectable()
export class SandboxReader {
  private readonly known = lru<string, SandboxFlags>(REMEMBERED);
  /** Sandboxes called since the last `takeCalled`. */
  private called = new Set<number>();

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly store: StoreInfo,
  ) {}

  /** The flags of the current caller's sandbox, which counts as called. */
  ofCall(text: string | null): SandboxFlags | null {
    const flags = this.read(text);
    if (flags) this.called.add(flags.tenantId);
    return flags;
  }

  read(text: string | null): SandboxFlags | null {
    if (text === null) return null;
    const known = this.known.get(text);
    if (known) return known;
    const flags = this.effective(JSON.parse(text) as StoredFlags);
    this.known.set(text, flags);
    return flags;
  }

  /** Returns the tenants called since the last call of this method. */
  takeCalled(): number[] {
    const called = [...this.called];
    if (called.length > 0) this.called = new Set();
    return called;
  }

  /** Whether a sandbox keeps a journal, by its stored value. */
  keepsJournal({ journal, origin }: Pick<StoredFlags, 'journal' | 'origin'>): boolean {
    const mode = this.settings.journal;
    if (mode === 'off') return false;
    return journal ?? (mode === 'all' || origin === 'made' || (origin === 'default' && this.store.embedded));
  }

  private effective(stored: StoredFlags): SandboxFlags {
    return {
      id: stored.id,
      tenantId: stored.tenantId,
      journal: this.keepsJournal(stored),
      methods: stored.methods ?? this.settings.methods,
      rateLimitMultiplier: stored.multiplier ?? this.settings.rateLimitMultiplier,
      missingScopeStatus: stored.missingScopeStatus ?? this.settings.missingScopeStatus,
      urls: stored.urls,
      ids: idSpaceOf(stored.ids),
      randomSeed: stored.seed,
      isDeterministic: stored.deterministic,
      allowances: `t${stored.tenantId}.${stored.allowances}:`,
      time:
        stored.offset === 0 && stored.frozenAt === null
          ? null
          : { offsetMicros: stored.offset, frozenAt: stored.frozenAt },
      tickMs: stored.tick,
      signWith: stored.signWith,
      hasFaults: stored.faults,
      hasDeliveryRules: stored.rules,
    };
  }
}
