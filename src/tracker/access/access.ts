import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { byUuid, entityOf } from '../store/define-entity.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import { notFound } from '../values/errors.js';
import { Organization } from '../store/organization.entity.js';
import { isUuid } from '../values/uuid.js';
import { DoorStatements, type Hold } from './doors.queries.js';
import type { Viewer } from './viewer.js';

export type { Hold };

/**
 * Access to entities: one accessor for each, and no other way to load one by an argument. An entity outside the
 * caller's organization, or in a private team without the caller, is answered like an unknown id
 * (docs/reference/tracker.md#errors row 8). Archived entities are found.
 */

/** How the entities of one kind are found by callers who may see them. */
export class Door<K extends EntityKey> {
  private readonly statements: DoorStatements;

  constructor(
    protected readonly db: Db,
    readonly entity: K,
  ) {
    this.statements = new DoorStatements(entity);
  }

  /** Undefined when the caller may not see it; inside a transaction pass that, and `hold` to lock the row. */
  async find(viewer: Viewer, id: string, tx?: Tx, hold?: Hold): Promise<EntityRows[K] | undefined> {
    const lookup = (entityOf(this.entity).lookup ?? byUuid)(id, viewer);
    return lookup && (await this.look(lookup.by, lookup.value, viewer, tx, hold))[0];
  }

  /** @throws notFound */
  async visible(viewer: Viewer, id: string, tx?: Tx): Promise<EntityRows[K]> {
    return this.found(await this.find(viewer, id, tx));
  }

  /**
   * The row, locked against other changes until the transaction ends.
   * @throws notFound
   */
  async forUpdate(tx: Tx, viewer: Viewer, id: string): Promise<EntityRows[K]> {
    return this.found(await this.find(viewer, id, tx, 'change'));
  }

  /**
   * The rows of these UUIDs, in their order; unknown ones are left out. Locked in the order of ids, so that writers do
   * not deadlock.
   */
  async findMany(viewer: Viewer, ids: readonly string[], tx?: Tx, hold?: Hold): Promise<EntityRows[K][]> {
    const known = ids.filter(isUuid).map((id) => id.toLowerCase());
    if (known.length === 0) return [];
    const rows = new Map((await this.look('ids', known, viewer, tx, hold)).map((row) => [row.id, row]));
    return [...new Set(known)].flatMap((id) => rows.get(id) ?? []);
  }

  /** By the first eight characters of its id, as in `#comment-1a2b3c4d` of its url. @throws notFound */
  async byHash(viewer: Viewer, hash: string): Promise<EntityRows[K]> {
    const known = /^[0-9a-f]{8}$/i.test(hash) ? await this.look('hash', hash.toLowerCase(), viewer) : [];
    return this.found(known[0]);
  }

  protected found(row: EntityRows[K] | undefined): EntityRows[K] {
    if (!row) throw notFound(this.entity);
    return row;
  }

  protected look(by: string, value: unknown, viewer: Viewer, tx?: Tx, hold?: Hold): Promise<EntityRows[K][]> {
    const values = [viewer.organizationId, value, ...this.statements.callerValues(viewer)];
    const text = this.statements.of(by, hold ?? 'none');
    return tx ? tx.query<EntityRows[K]>(text, values) : this.db.read<EntityRows[K]>(text, values);
  }
}

/** The accessors of all entities. */
@Injectable()
export class Access {
  readonly issues: Door<'Issue'>;
  readonly comments: Door<'Comment'>;
  readonly projects: Door<'Project'>;
  readonly projectLabels: Door<'ProjectLabel'>;
  readonly projectStatuses: Door<'ProjectStatus'>;
  readonly teams: Door<'Team'>;
  readonly memberships: Door<'TeamMembership'>;
  readonly labels: Door<'IssueLabel'>;
  readonly states: Door<'WorkflowState'>;
  readonly templates: Door<'Template'>;
  readonly cycles: Door<'Cycle'>;
  readonly users: Door<'User'>;
  readonly webhooks: Door<'Webhook'>;

  constructor(private readonly db: Db) {
    this.issues = new Door(db, 'Issue');
    this.comments = new Door(db, 'Comment');
    this.projects = new Door(db, 'Project');
    this.projectLabels = new Door(db, 'ProjectLabel');
    this.projectStatuses = new Door(db, 'ProjectStatus');
    this.teams = new Door(db, 'Team');
    this.memberships = new Door(db, 'TeamMembership');
    this.labels = new Door(db, 'IssueLabel');
    this.states = new Door(db, 'WorkflowState');
    this.templates = new Door(db, 'Template');
    this.cycles = new Door(db, 'Cycle');
    this.users = new Door(db, 'User');
    this.webhooks = new Door(db, 'Webhook');
  }

  /** The caller's own organization. @throws notFound when it was deleted meanwhile */
  async organization(viewer: Viewer): Promise<Organization> {
    const { organizationId: id } = viewer;
    return this.own(await this.db.load((entities) => entities.findOneBy(Organization, { id })));
  }

  /** The same, locked: writers of values that are unique in the organization are serialized by it. */
  async organizationForUpdate(tx: Tx, viewer: Viewer): Promise<Organization> {
    const where = { id: viewer.organizationId };
    return this.own(await tx.sql.findOne(Organization, { where, lock: { mode: 'for_no_key_update' } }));
  }

  private own(organization: Organization | null): Organization {
    if (!organization) throw notFound('Organization');
    return organization;
  }
}
