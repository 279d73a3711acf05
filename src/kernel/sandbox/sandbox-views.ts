import { Injectable } from '@nestjs/common';
import type { SandboxEntity } from './sandbox-entities.js';

/** A product's view of a whole sandbox. */
export interface SandboxView {
  /**
   * Other names of channels, people, teams: for each of `values` (a bare name or an id), pairs of that value and an
   * equivalent one.
   */
  aliases(tenantId: number, values: readonly string[]): Promise<readonly (readonly [string, string])[]>;
  /** The newest stored messages, as in their events; newest first. */
  messages?(tenantId: number, most: number): Promise<Readonly<Record<string, unknown>>[]>;
  /** Issues in their current state, with the objects that their event shows; the last changed first. */
  issues?(tenantId: number, most: number): Promise<Readonly<Record<string, unknown>>[]>;
  /** What a test can assert on, and how its rows are shown. */
  readonly entities?: readonly SandboxEntity[];
  /** Names of what these ids stand for. */
  names?(tenantId: number, ids: readonly string[]): Promise<readonly (readonly [string, string])[]>;
}

/** The products' views, joined. */
@Injectable()
export class SandboxViews {
  private readonly views: SandboxView[] = [];

  /** Registers a product, at start-up. */
  register(view: SandboxView): void {
    this.views.push(view);
  }

  /** The equivalents of each value, itself included; names may be written with `#` or `@`. */
  async aliases(tenantId: number, values: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const known = new Map<string, Set<string>>();
    const asked = [...new Set(values)].filter(isName);
    if (asked.length === 0) return known;
    for (const value of asked) known.set(value, new Set([bare(value)]));
    const bareNames = [...new Set(asked.map(bare))];
    const pairs = (await Promise.all(this.views.map((view) => view.aliases(tenantId, bareNames)))).flat();
    for (const value of asked) {
      for (const [name, other] of pairs) if (name === bare(value)) known.get(value)?.add(other);
    }
    return known;
  }

  get entities(): SandboxEntity[] {
    return this.views.flatMap((view) => view.entities ?? []);
  }

  async names(tenantId: number, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    return new Map((await Promise.all(this.views.map((view) => view.names?.(tenantId, ids) ?? []))).flat());
  }

  async messages(tenantId: number, most: number): Promise<Readonly<Record<string, unknown>>[]> {
    return (await Promise.all(this.views.map((view) => view.messages?.(tenantId, most) ?? []))).flat();
  }

  async issues(tenantId: number, most: number): Promise<Readonly<Record<string, unknown>>[]> {
    return (await Promise.all(this.views.map((view) => view.issues?.(tenantId, most) ?? []))).flat();
  }
}

/** Values that may be names: no stored text contains U+0000. */
const isName = (value: string): boolean => value !== '' && value.length <= 300 && !value.includes('\0');

const bare = (value: string): string => value.replace(/^[#@]/, '');
