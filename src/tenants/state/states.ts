import { Inject, Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { canonicalJson } from '../../kernel/text/canonical-json.js';
import { ONE_MOMENT } from '../seeds/export/export.queries.js';
import { CHAT_STATE, CHAT_TABLES, ChatWorld } from './chat-state.js';
import { sha256Of, StateRows, type Row, type StateEntity } from './state-entity.js';
import { ID_KEY, NOW, ROWS_OF_STATE } from './state.queries.js';
import { TRACKER_STATE, TRACKER_TABLES } from './tracker-state.js';
import { TrackerWorld } from './tracker-world.js';

export const STATE_FORMAT = 'understudy.state/1';

type Thing = Readonly<Record<string, unknown>>;
type Things = Readonly<Record<string, readonly Thing[]>>;

/** What a sandbox holds, by names and without what differs between two that are alike. */
export interface StateDocument {
  readonly format: typeof STATE_FORMAT;
  readonly chat: Things;
  readonly tracker: Things;
}

/** What of it is asked for. */
export interface StateOptions {
  /** With ids and timestamps. */
  readonly ids: boolean;
  /** Entities (`message`) and fields (`issue.assignee`) that are left out. */
  readonly ignore: readonly string[];
}

const TABLES = [
  ...new Set([
    ...CHAT_STATE.map(({ table }) => table),
    ...CHAT_TABLES,
    ...TRACKER_STATE.map(({ table }) => table),
    ...TRACKER_TABLES,
  ]),
];

/** The entities of a state, with their fields. */
export const STATE_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  [...CHAT_STATE, ...TRACKER_STATE].map(({ name, fields, ids = {} }) => [
    name,
    [...Object.keys(fields), ...Object.keys(ids)],
  ]),
);

/** Reads what sandboxes hold now and held at their snapshots (docs/reference/sandboxes.md#state). */
@Injectable()
export class States {
  constructor(
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /**
   * The state of a sandbox, as of one moment, with the ids that its callers know: two that are alike have one hash.
   * @param epoch with which a snapshot's state began; null: now
   * @throws RestError 409 sandbox_too_large
   */
  async read(tenantId: number, epoch: number | null, { ids, ignore }: StateOptions): Promise<StateDocument> {
    const work = new LongWork();
    const [row] = await this.db.read<{ key: number | null }>(ID_KEY, [tenantId]);
    const rows = await this.rows(tenantId, TABLES, epoch ?? NOW, work, idSpaceOf(row?.key ?? null));
    const options = { ids, ignored: new Set(ignore) };
    return {
      format: STATE_FORMAT,
      chat: await listsOf(CHAT_STATE, rows, new ChatWorld(rows), options, work),
      tracker: await listsOf(TRACKER_STATE, rows, new TrackerWorld(rows), options, work),
    };
  }

  /**
   * Names of everything that has one, by ids, as of now.
   * @throws RestError 409 sandbox_too_large
   */
  async names(tenantId: number): Promise<Map<string, string>> {
    return namesIn(await this.rows(tenantId, NAMED_TABLES, NOW, new LongWork(), null));
  }

  private async rows(
    tenantId: number,
    tables: readonly string[],
    epoch: number,
    work: LongWork,
    seenAs: IdSpace | null,
  ): Promise<StateRows> {
    const { snapshotMaxRows: most } = this.settings;
    const found = await this.db.write(
      async (tx) => {
        await tx.queryText(ONE_MOMENT);
        return tx.query<{ table: string; value: string }>(ROWS_OF_STATE, [tenantId, tables, epoch, most + 1]);
      },
      { keeps: 'everything' },
    );
    if (found.length > most) throw new RestError(409, 'sandbox_too_large');
    const rows = new StateRows();
    for (const { table, value } of found) {
      await work.pause();
      rows.add(table, JSON.parse(seenAs?.outside(value) ?? value) as Row);
    }
    return rows;
  }
}

/** Tables of what has a name of its own. */
const NAMED_TABLES = `workspaces users conversations members apps usergroups organizations tracker_users teams
  workflow_states issue_labels project_labels projects project_statuses cycles issues`.split(/\s+/);

/** Each id with a name that means the same in a sandbox that is alike: `channel ops`, `state ENG Done`. */
function namesIn(rows: StateRows): Map<string, string> {
  const chat = new ChatWorld(rows);
  const tracker = new TrackerWorld(rows);
  const names = new Map<string, string>();
  const name = (table: string, nameOf: (row: Row) => unknown, key = 'id'): void => {
    for (const row of rows.of(table)) if (row[key] !== null) names.set(String(row[key]), String(nameOf(row)));
  };
  const ofTeam = (kind: string, of: string) => (row: Row) =>
    `${kind} ${String(tracker.team(row['team_id']))} ${String(row[of])}`;
  name('workspaces', () => 'workspace');
  name('organizations', () => 'organization');
  name('users', (row) => `user ${String(row['name'])}`);
  name('conversations', (row) => `channel ${chat.channel(row['id'])}`);
  name('apps', (row) => `app ${String(row['name'])}`);
  name('apps', (row) => `bot ${String(row['name'])}`, 'bot_id');
  name('usergroups', (row) => `usergroup ${String(row['handle'])}`);
  name('tracker_users', (row) => `person ${String(tracker.user(row['id']))}`);
  name('teams', (row) => `team ${String(row['key'])}`);
  name('workflow_states', ofTeam('state', 'name'));
  name('issue_labels', ofTeam('label', 'name'));
  name('project_labels', ofTeam('project label', 'name'));
  name('cycles', ofTeam('cycle', 'number'));
  name('projects', (row) => `project ${String(row['name'])}`);
  name('project_statuses', (row) => `status ${String(row['name'])}`);
  name('issues', (row) => `issue ${String(row['identifier'])}`);
  return names;
}

async function listsOf<World>(
  entities: readonly StateEntity<World>[],
  rows: StateRows,
  world: World,
  { ids, ignored }: { ids: boolean; ignored: ReadonlySet<string> },
  work: LongWork,
): Promise<Things> {
  const lists: Record<string, Thing[]> = {};
  for (const { name, table, holds, fields, ids: idFields = {} } of entities) {
    if (ignored.has(name)) continue;
    const shown = Object.entries(ids ? { ...fields, ...idFields } : fields).filter(
      ([field]) => !ignored.has(`${name}.${field}`),
    );
    const list: Thing[] = [];
    for (const row of rows.of(table)) {
      await work.pause();
      if (holds && !holds(row, world)) continue;
      const thing = Object.fromEntries(
        shown.flatMap(([field, of]) => {
          const value = of(row, world);
          return value === undefined ? [] : [[field, value]];
        }),
      );
      list.push(thing);
    }
    // an entity may come from several tables
    const all = [...(lists[name] ?? []), ...list];
    if (all.length > 0) lists[name] = all.sort((a, b) => compareTexts(textOf(a), textOf(b)));
  }
  return lists;
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Canonical texts of things, which are sorted, hashed and compared by them. */
const texts = new WeakMap<Thing, string>();

export function textOf(thing: Thing): string {
  const known = texts.get(thing) ?? canonicalJson(thing);
  texts.set(thing, known);
  return known;
}

/** The canonical text of all things of a product. */
const textOfAll = (things: Things): string =>
  `{${Object.keys(things)
    .sort()
    .map((name) => `${JSON.stringify(name)}:[${(things[name] ?? []).map(textOf).join()}]`)
    .join()}}`;

/** A state's hashes, as a whole and of each product. */
export function hashesOf({ format, chat, tracker }: StateDocument): { hash: string; chat: string; tracker: string } {
  const texts = { chat: textOfAll(chat), tracker: textOfAll(tracker) };
  const whole = `{"chat":${texts.chat},"format":${JSON.stringify(format)},"tracker":${texts.tracker}}`;
  return { hash: sha256Of(whole), chat: sha256Of(texts.chat), tracker: sha256Of(texts.tracker) };
}
