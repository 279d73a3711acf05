import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement, type Statement } from '../../kernel/database/statement.js';
import { byUuid, entityOf } from '../store/define-entity.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import { notFound } from '../values/errors.js';
import { Organization } from '../organization/organization.entity.js';
import { allOf } from '../query/query-scope.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from './viewer.js';

/**
 * The doors: one for each entity, and no other way to load one by an argument. What is not in the
 * caller's organization, or in a private team without the caller, is not there: docs/reference/tracker.md#errors row
 * 8, as for any unknown id. Archived entities are there.
 */

/** How long a row is held: `change` against other changes, `use` against deletion while it is referred to. */
export type Hold = 'change' | 'use';

const HOLDS: Record<Hold | 'none', string> = {
  none: '',
  change: ' FOR NO KEY UPDATE OF $',
  use: ' FOR KEY SHARE OF $',
};

/** The condition for one look-up, the value being `$2` (`$2` is a list for ids). */
const conditions: Record<string, (alias: string) => string> = {
  id: (a) => `${a}.id = $2::uuid`,
  ids: (a) => `${a}.id = ANY($2::uuid[])`,
  // what an issue is called now wins over what another one was called
  identifier: (a) => `${a}.id = coalesce(
    (SELECT x.id FROM issues x WHERE x.organization_id = $1 AND x.identifier = $2::text),
    (SELECT x.id FROM issues x WHERE x.organization_id = $1 AND x.previous_identifiers <> '{}'
      AND x.previous_identifiers @> ARRAY[$2::text] ORDER BY x.created_at DESC, x.id LIMIT 1))`,
  key: (a) => `${a}.key = $2::text`,
  slug_id: (a) => `${a}.slug_id = $2::text`,
  // the first eight characters of an id, which the primary key finds as a range
  hash: (a) => `${a}.id BETWEEN ($2::text || '-0000-0000-0000-000000000000')::uuid
    AND ($2::text || '-ffff-ffff-ffff-ffffffffffff')::uuid ORDER BY ${a}.id LIMIT 1`,
};

/** How one kind of entity is found by those who may see it. */
export class Door<K extends EntityKey> {
  private readonly statements = new Map<string, Statement>();
  /** In every statement of the door; `$3` are the hidden teams. */
  private readonly access: string | undefined;

  constructor(
    protected readonly db: Db,
    readonly entity: K,
  ) {
    this.access = entityOf(entity).access?.condition(entityOf(entity).alias, '$3::uuid[]');
  }

  /** Undefined when the caller sees none; inside a transaction pass it, and `hold` when the row is to stay as it is. */
  async find(viewer: Viewer, id: string, tx?: Tx, hold?: Hold): Promise<EntityRows[K] | undefined> {
    const lookup = (entityOf(this.entity).lookup ?? byUuid)(id, viewer);
    return lookup && (await this.look(lookup.by, lookup.value, viewer, tx, hold))[0];
  }

  /** @throws notFound */
  async visible(viewer: Viewer, id: string, tx?: Tx): Promise<EntityRows[K]> {
    return this.found(await this.find(viewer, id, tx));
  }

  /** The row, held against other changes until the transaction ends. @throws notFound */
  async forUpdate(tx: Tx, viewer: Viewer, id: string): Promise<EntityRows[K]> {
    return this.found(await this.find(viewer, id, tx, 'change'));
  }

  /** The rows of these UUIDs, in their order; unknown ones are left out. Held in the order of ids, so that writers queue. */
  async findMany(viewer: Viewer, ids: readonly string[], tx?: Tx, hold?: Hold): Promise<EntityRows[K][]> {
    const known = ids.filter(isUuid).map((id) => id.toLowerCase());
    if (known.length === 0) return [];
    const rows = new Map((await this.look('ids', known, viewer, tx, hold)).map((row) => [row.id, row]));
    return [...new Set(known)].flatMap((id) => rows.get(id) ?? []);
  }

  protected found(row: EntityRows[K] | undefined): EntityRows[K] {
    if (!row) throw notFound(this.entity);
    return row;
  }

  protected look(by: string, value: unknown, viewer: Viewer, tx?: Tx, hold?: Hold): Promise<EntityRows[K][]> {
    const values = [viewer.organizationId, value, ...(this.access ? [viewer.hiddenTeamIds] : [])];
    const text = this.statement(by, hold ?? 'none');
    return tx ? tx.query<EntityRows[K]>(text, values) : this.db.read<EntityRows[K]>(text, values);
  }

  private statement(by: string, hold: Hold | 'none'): Statement {
    const key = `${by}_${hold}`;
    let made = this.statements.get(key);
    if (!made) {
      const { table, alias, columns } = entityOf(this.entity);
      const condition = (conditions[by] as (alias: string) => string)(alias);
      const order = by === 'ids' && hold !== 'none' ? ` ORDER BY ${alias}.id` : '';
      made = statement(
        `tracker_door_${this.entity}_${key}`,
        `SELECT ${columns(alias)} FROM ${table} ${alias}
         WHERE ${allOf([`${alias}.organization_id = $1::uuid`, this.access, condition])}${order}${HOLDS[hold].replace('$', alias)}`,
      );
      this.statements.set(key, made);
    }
    return made;
  }
}

class CommentDoor extends Door<'Comment'> {
  /** By the first eight characters of its id, as in `#comment-1a2b3c4d` of its url. @throws notFound */
  async byHash(viewer: Viewer, hash: string): Promise<EntityRows['Comment']> {
    const known = /^[0-9a-f]{8}$/i.test(hash) ? await this.look('hash', hash.toLowerCase(), viewer) : [];
    return this.found(known[0]);
  }
}

/** Every door of the tracker. */
@Injectable()
export class Access {
  readonly issues: Door<'Issue'>;
  readonly comments: CommentDoor;
  readonly projects: Door<'Project'>;
  readonly projectStatuses: Door<'ProjectStatus'>;
  readonly teams: Door<'Team'>;
  readonly memberships: Door<'TeamMembership'>;
  readonly labels: Door<'IssueLabel'>;
  readonly states: Door<'WorkflowState'>;
  readonly cycles: Door<'Cycle'>;
  readonly users: Door<'User'>;
  readonly webhooks: Door<'Webhook'>;

  constructor(private readonly db: Db) {
    this.issues = new Door(db, 'Issue');
    this.comments = new CommentDoor(db, 'Comment');
    this.projects = new Door(db, 'Project');
    this.projectStatuses = new Door(db, 'ProjectStatus');
    this.teams = new Door(db, 'Team');
    this.memberships = new Door(db, 'TeamMembership');
    this.labels = new Door(db, 'IssueLabel');
    this.states = new Door(db, 'WorkflowState');
    this.cycles = new Door(db, 'Cycle');
    this.users = new Door(db, 'User');
    this.webhooks = new Door(db, 'Webhook');
  }

  /** The caller's own organization. @throws notFound when it was deleted meanwhile */
  async organization(viewer: Viewer): Promise<Organization> {
    const { organizationId: id } = viewer;
    return this.own(await this.db.load((entities) => entities.findOneBy(Organization, { id })));
  }

  /** The same, held: writers of what is unique over the whole organization queue here. */
  async organizationForUpdate(tx: Tx, viewer: Viewer): Promise<Organization> {
    const where = { id: viewer.organizationId };
    return this.own(await tx.sql.findOne(Organization, { where, lock: { mode: 'for_no_key_update' } }));
  }

  private own(organization: Organization | null): Organization {
    if (!organization) throw notFound('Organization');
    return organization;
  }
}
