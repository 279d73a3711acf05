import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { AllowanceBook, type AllowanceFacts } from '../../kernel/limits/allowance-book.js';
import { Limits, usageOf } from '../../kernel/limits/limits.js';
import { bare } from '../../kernel/matchers/matches.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';

/** The most keys of a kind in one statement. */
const PAGE = 1_000;
/** The most allowances in one answer. */
const MAX_LISTED = 1_000;

/** Selects allowances; absent: all. By id or name. */
export interface AllowanceFilter {
  readonly method?: string | undefined;
  readonly app?: string | undefined;
  readonly channel?: string | undefined;
}

interface UsedAllowance {
  readonly key: string;
  readonly facts: AllowanceFacts;
  readonly used: number;
  readonly resetsInMs: number;
}

/** Usage of the rate limits in a sandbox. */
@Injectable()
export class SandboxLimits {
  constructor(
    private readonly limits: Limits,
    private readonly book: AllowanceBook,
    private readonly views: SandboxViews,
    private readonly clock: Clock,
  ) {}

  /** All allowances that are partly used. */
  async list(flags: SandboxFlags): Promise<object[]> {
    const used: UsedAllowance[] = [];
    for await (const each of this.walk(flags)) {
      if (each.used > 0 && used.push(each) === MAX_LISTED) break;
    }
    const ids = used.flatMap(({ facts }) => [facts.app, facts.user, facts.channel].filter((id) => id !== undefined));
    const names = await this.views.names(flags.tenantId, [...new Set(ids)]);
    const nameOf = (id: string): string => names.get(id) ?? id;
    return used.map(({ facts: { key, policy, app, user, channel, webhook }, used: taken, resetsInMs }) => ({
      key,
      ...(app !== undefined && { app: nameOf(app), app_id: app }),
      ...(user !== undefined && { user: nameOf(user), user_id: user }),
      ...(channel !== undefined && { channel: channelName(channel, names), channel_id: channel }),
      ...(webhook !== undefined && { webhook }),
      used: taken,
      limit: policy.kind === 'window' ? policy.limit : policy.capacity,
      resets_in_ms: resetsInMs,
    }));
  }

  /** Refills the selected allowances. Returns how many there were. */
  async reset(flags: SandboxFlags, meant: AllowanceFilter): Promise<number> {
    const asked = [meant.app, meant.channel].filter((name) => name !== undefined);
    const aliases = await this.views.aliases(flags.tenantId, asked);
    const fits = (
      wanted: string | undefined,
      actual: string | undefined,
      names: ReadonlyMap<string, string>,
    ): boolean => {
      if (wanted === undefined) return true;
      if (actual === undefined) return false;
      return bare(wanted) === actual || bare(wanted) === names.get(actual) || aliases.get(wanted)?.has(actual) === true;
    };
    const found: UsedAllowance[] = [];
    for await (const each of this.walk(flags)) if (isMethod(each.facts.key, meant.method)) found.push(each);
    const apps = [...new Set(found.flatMap(({ facts }) => facts.app ?? []))];
    const names = meant.app === undefined ? new Map<string, string>() : await this.views.names(flags.tenantId, apps);
    const keys = found
      .filter(({ facts }) => fits(meant.app, facts.app, names) && fits(meant.channel, facts.channel, names))
      .map(({ key }) => key);
    await this.limits.forget(keys);
    return keys.length;
  }

  private async *walk(flags: SandboxFlags): AsyncGenerator<UsedAllowance> {
    this.clock.enter(flags);
    const prefix = flags.allowances;
    for (let after = prefix; ;) {
      const all = await this.limits.held(prefix, after, PAGE);
      // windows and buckets have separate keys: nothing is known beyond the end of the shorter list
      const full = (['window', 'bucket'] as const)
        .map((kind) => all.filter((held) => held.kind === kind))
        .filter((of) => of.length === PAGE)
        .map((of) => of.at(-1)?.key as string);
      const upTo = full.reduce<string | undefined>(
        (low, key) => (low === undefined || key < low ? key : low),
        undefined,
      );
      for (const held of all) {
        if (upTo !== undefined && held.key > upTo) continue;
        const facts = this.book.read(held.key.slice(prefix.length), flags);
        if (facts) yield { key: held.key, facts, ...usageOf(held, facts.policy, this.clock.nowMicros()) };
      }
      if (upTo === undefined) return;
      after = upTo;
    }
  }
}

function isMethod(key: string, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === key || wanted === '*') return true;
  return wanted.endsWith('.*') && key.startsWith(wanted.slice(0, -1));
}

function channelName(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `#${name}`;
}
