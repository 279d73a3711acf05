import { Injectable } from '@nestjs/common';
import { fromCaller, toCaller } from '../../kernel/clock/request-sandbox.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { eachText } from '../../kernel/ids/id-space.js';
import {
  compareTexts,
  hashesOf,
  States,
  textOf,
  type StateDocument,
  type StateOptions,
} from '../../tenants/state/states.js';
import { SandboxAccess, type SandboxCall } from '../access/sandbox-access.js';
import { Snapshots } from '../snapshots/snapshots.service.js';
import { SNAPSHOT_BY_ID } from './sandbox-states.queries.js';

/** The most things of an entity that a comparison shows. */
const MAX_SHOWN = 100;

type Thing = Readonly<Record<string, unknown>>;
type Things = Readonly<Record<string, readonly Thing[]>>;

export interface Comparison {
  readonly equal: boolean;
  readonly hash: string;
  readonly other: string;
  readonly only_here: Record<string, object[]>;
  readonly only_there: Record<string, object[]>;
  /** Whether there is more than `MAX_SHOWN` of an entity. */
  readonly truncated: boolean;
}

/** States of sandboxes and what differs between them (docs/reference/sandboxes.md#state). */
@Injectable()
export class SandboxStates {
  constructor(
    private readonly db: Db,
    private readonly states: States,
    private readonly snapshots: Snapshots,
    private readonly access: SandboxAccess,
  ) {}

  /**
   * @param at id or name of a snapshot, or `baseline`; undefined: now
   * @throws RestError 404 snapshot_not_found, 409 sandbox_too_large
   */
  async read(tenantId: number, at: string | undefined, options: StateOptions): Promise<StateDocument> {
    const epoch = at === undefined ? null : await this.snapshots.epochOf(tenantId, at);
    return this.states.read(tenantId, epoch, options);
  }

  /** @throws RestError 404 sandbox_not_found, snapshot_not_found; 409 sandbox_too_large */
  async compare(
    call: SandboxCall,
    other: Readonly<Record<string, unknown>>,
    options: StateOptions,
  ): Promise<Comparison> {
    const here = await this.read(call.sandbox.tenantId, undefined, options);
    const { hash } = hashesOf(here);
    if (typeof other['hash'] === 'string') {
      const equal = hash === other['hash'];
      return { equal, hash, other: other['hash'], only_here: {}, only_there: {}, truncated: false };
    }
    const there = await this.other(call, other, options);
    const both = { ...difference(here.chat, there.chat), ...difference(here.tracker, there.tracker) };
    const { hash: otherHash } = hashesOf(there);
    const shown = (side: 'here' | 'there'): Record<string, object[]> =>
      Object.fromEntries(
        Object.entries(both).flatMap(([entity, of]) =>
          of[side].length > 0 ? [[entity, fromCaller(of[side].slice(0, MAX_SHOWN))]] : [],
        ),
      );
    return {
      equal: hash === otherHash,
      hash,
      other: otherHash,
      only_here: shown('here'),
      only_there: shown('there'),
      truncated: Object.values(both).some((of) => of.here.length > MAX_SHOWN || of.there.length > MAX_SHOWN),
    };
  }

  private async other(
    call: SandboxCall,
    { sandbox, snapshot, document }: Readonly<Record<string, unknown>>,
    options: StateOptions,
  ): Promise<StateDocument> {
    if (document !== undefined) return cut(eachText(document as StateDocument, toCaller), options);
    if (typeof sandbox === 'string') {
      const found = await this.access.openToCompare(call, sandbox);
      return this.read(found.tenantId, undefined, options);
    }
    return this.ofSnapshot(call, String(snapshot), options);
  }

  /** One of the sandbox itself by id or name, or by id one of a sandbox that the caller may see. */
  private async ofSnapshot(call: SandboxCall, snapshot: string, options: StateOptions): Promise<StateDocument> {
    const [row] = await this.db.read<{ tenantId: number; sandboxId: string }>(SNAPSHOT_BY_ID, [snapshot]);
    if (!row || row.tenantId === call.sandbox.tenantId) {
      return this.read(call.sandbox.tenantId, snapshot, options);
    }
    const found = await this.access.openToCompare(call, row.sandboxId).catch((error: unknown) => {
      throw error instanceof RestError && error.getStatus() === 404 ? new RestError(404, 'snapshot_not_found') : error;
    });
    return this.read(found.tenantId, snapshot, options);
  }
}

/** Fields that only a state with ids has. */
const ID_FIELDS = ['id', 'ts', 'thread_ts', 'identifier'];

/** A given document without what is not asked for, in the order of every state. */
function cut({ format, chat, tracker }: StateDocument, { ids, ignore }: StateOptions): StateDocument {
  const product = (lists: Things): Record<string, Record<string, unknown>[]> =>
    Object.fromEntries(
      Object.entries(lists).flatMap(([entity, list]) => {
        if (ignore.includes(entity) || list.length === 0) return [];
        const things = list.map((thing) =>
          Object.fromEntries(
            Object.entries(thing).filter(
              ([field]) => !ignore.includes(`${entity}.${field}`) && (ids || !ID_FIELDS.includes(field)),
            ),
          ),
        );
        return [[entity, things.sort((a, b) => compareTexts(textOf(a), textOf(b)))]];
      }),
    );
  return { format, chat: product(chat), tracker: product(tracker) };
}

/** What of each entity only one of two states has; of several that are alike each counts. */
function difference(here: Things, there: Things): Record<string, { here: object[]; there: object[] }> {
  const entities = new Set([...Object.keys(here), ...Object.keys(there)]);
  return Object.fromEntries(
    [...entities].map((entity) => {
      const [ours, theirs] = [here[entity] ?? [], there[entity] ?? []];
      return [entity, { here: without(ours, theirs), there: without(theirs, ours) }];
    }),
  );
}

function without(things: readonly Thing[], others: readonly Thing[]): Thing[] {
  const left = new Map<string, number>();
  for (const other of others) {
    const text = textOf(other);
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  return things.filter((thing) => {
    const text = textOf(thing);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}
