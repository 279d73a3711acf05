import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { Access, Door } from '../access/access.js';
import { isHiddenTeam } from '../store/hidden-teams.js';
import type { Viewer } from '../access/viewer.js';
import { trackerEvent, type EventAction } from '../events/tracker-events.js';
import { differences } from '../store/differences.js';
import { mutate, type Mutated } from '../events/mutation.js';
import { pickColor } from '../values/colors.js';
import {
  brokenRule,
  duplicateLabel,
  idAlreadyUsed,
  notFound,
  teamArchived,
  unknownReference,
} from '../values/errors.js';
import { webFor } from '../values/urls.js';
import type { Label, LabelKind } from './label-kind.js';
import { LabelStatements } from './labels.queries.js';

/** The input of a create, and of an update, where null clears. */
interface LabelCreate {
  id?: string;
  name: string;
  color?: string;
  description?: string;
  teamId?: string;
  parentId?: string;
  isGroup?: boolean;
}
interface LabelUpdate {
  name?: string;
  color?: string;
  description?: string | null;
  parentId?: string | null;
  isGroup?: boolean;
}

/** docs/reference/tracker.md#issuelabel. */
export class LabelsOf {
  readonly door: Door<LabelKind['name']>;
  private readonly statements: LabelStatements;
  private readonly row: new () => Label;

  constructor(
    readonly kind: LabelKind,
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {
    this.door = new Door(db, kind.name);
    this.statements = new LabelStatements(kind);
    this.row = kind.row as new () => Label;
  }

  create(viewer: Viewer, input: LabelCreate, replaceTeamLabels: boolean): Promise<Record<string, unknown> & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const id = input.id ?? newUuid();
      const parent = await this.parent(tx, viewer, input.parentId);
      const teamId = input.teamId ?? parent?.teamId ?? null;
      await this.checkTeam(tx, viewer, teamId);
      const isGroup = input.isGroup ?? false;
      if (parent) await this.setParent(tx, parent, { id, teamId, isGroup, hasChildren: false }, now);
      if (replaceTeamLabels && teamId === null) await this.merge(tx, viewer, input.name, { id, isGroup }, now);
      await this.claimName(tx, viewer, input.name, teamId, id);
      const label = await insertUnlessTaken(tx, this.row, {
        id,
        organizationId: viewer.organizationId,
        ...(!this.kind.isTeamless && { teamId }),
        name: input.name,
        color: input.color ?? pickColor(),
        description: input.description ?? null,
        isGroup,
        parentId: parent?.id ?? null,
        creatorId: viewer.userId,
        createdAt: now,
        updatedAt: now,
      });
      if (!label) throw idAlreadyUsed(this.kind.name, id);
      await this.recordEvent(tx, viewer, 'create', now, label);
      return { [this.kind.key]: label };
    });
  }

  update(
    viewer: Viewer,
    id: string,
    input: LabelUpdate,
    replaceTeamLabels: boolean,
  ): Promise<Record<string, unknown> & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const before = await this.held(tx, viewer, id);
      const { name, color, description, parentId, isGroup } = input;
      const wanted = { name, color, description, parentId, isGroup } as Partial<Label>;
      const change = differences(before, wanted);
      if (Object.keys(change).length === 0) return { [this.kind.key]: before };
      await this.checkShape(tx, viewer, before, change, now);
      if (change.name !== undefined) {
        const after = { id: before.id, isGroup: change.isGroup ?? before.isGroup };
        if (replaceTeamLabels && (before.teamId ?? null) === null)
          await this.merge(tx, viewer, change.name, after, now);
        await this.claimName(tx, viewer, change.name, before.teamId ?? null, before.id);
      }
      const values = { ...change, updatedAt: now };
      await tx.sql.update(this.row, { id: before.id }, values);
      const label = { ...before, ...values };
      await this.recordEvent(tx, viewer, 'update', now, label, before);
      return { [this.kind.key]: label };
    });
  }

  /** It is removed from everything that it is on; a group's children lose their parent. */
  delete(viewer: Viewer, id: string): Promise<{ entityId: string } & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const label = await this.held(tx, viewer, id);
      await this.remove(tx, viewer, label, null, now);
      await this.recordEvent(tx, viewer, 'remove', now, label);
      return { entityId: label.id };
    });
  }

  /** It stays where it is, but cannot be added any more. */
  retire(viewer: Viewer, id: string): Promise<Record<string, unknown> & Mutated> {
    return this.setRetired(viewer, id, viewer.userId);
  }

  restore(viewer: Viewer, id: string): Promise<Record<string, unknown> & Mutated> {
    return this.setRetired(viewer, id, null);
  }

  /** One that is retired already stays so by whom it was. */
  private setRetired(viewer: Viewer, id: string, userId: string | null): Promise<Record<string, unknown> & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const before = await this.held(tx, viewer, id);
      if ((before.retiredById === null) === (userId === null)) return { [this.kind.key]: before };
      const now = this.clock.now();
      const values = { retiredById: userId, updatedAt: now };
      await tx.sql.update(this.row, { id: before.id }, values);
      const label = { ...before, ...values };
      await this.recordEvent(tx, viewer, 'update', now, label, before);
      return { [this.kind.key]: label };
    });
  }

  /**
   * Changing what a label is to issues (a group, retired, deleted) locks its row; putting it on an issue locks it
   * against that (issue-facts.queries.ts). So no issue keeps a label that is no longer valid.
   */
  private async hold(tx: Tx, id: string): Promise<void> {
    await tx.sql.findOne(this.row, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * The label, locked so that it cannot be added to an issue meanwhile.
   * @throws notFound
   */
  private async held(tx: Tx, viewer: Viewer, id: string): Promise<Label> {
    const label = await this.door.visible(viewer, id, tx);
    await this.hold(tx, label.id);
    const now = await this.door.find(viewer, id, tx);
    if (!now) throw notFound(this.kind.name);
    return now;
  }

  /** The future parent of a label, locked as well: it may have to become a group. */
  private async parent(tx: Tx, viewer: Viewer, id: string | null | undefined): Promise<Label | undefined> {
    if (typeof id !== 'string') return undefined;
    await this.hold(tx, id);
    const parent = await this.door.find(viewer, id, tx);
    if (!parent) throw unknownReference('parentId');
    return parent;
  }

  private async checkTeam(tx: Tx, viewer: Viewer, teamId: string | null): Promise<void> {
    if (teamId === null) return;
    const [team] = await this.access.teams.findMany(viewer, [teamId], tx, 'use');
    if (!team) throw unknownReference('teamId');
    if (team.archivedAt !== null) throw teamArchived(team.key);
  }

  /** The effect of an update on being a group and being in one. */
  private async checkShape(tx: Tx, viewer: Viewer, label: Label, change: Partial<Label>, now: Date): Promise<void> {
    if (change.isGroup === undefined && change.parentId === undefined) return;
    const onIssues = await this.statements.isInUse(tx, label);
    const hasChildren = await tx.sql.existsBy(this.row, { parentId: label.id });
    const { isGroup, parentId, teamId } = { ...label, ...change };
    if (change.isGroup === false && hasChildren) {
      throw brokenRule('isGroup of a group with labels', 'A group that has labels must remain a group.');
    }
    if (change.isGroup === true && onIssues) {
      throw brokenRule('isGroup of an applied label', `A label that is on ${this.kind.on} cannot become a group.`);
    }
    if (parentId === null) return;
    const parent = await this.parent(tx, viewer, parentId);
    if (parent) await this.setParent(tx, parent, { id: label.id, teamId: teamId ?? null, isGroup, hasChildren }, now);
  }

  /** @throws brokenRule unless the parent is, or can become, a group that may hold the label */
  private async setParent(
    tx: Tx,
    parent: Label,
    child: { id: string; teamId: string | null; isGroup: boolean; hasChildren: boolean },
    now: Date,
  ): Promise<void> {
    if ((parent.teamId ?? null) !== child.teamId) {
      throw brokenRule('parentId in another scope', 'A label and its group must belong to the same team or workspace.');
    }
    if (parent.id === child.id || parent.parentId !== null || child.isGroup || child.hasChildren) {
      throw brokenRule('parentId is nested too deep', 'Label groups can be nested one level only.');
    }
    if (parent.isGroup) return;
    if (await this.statements.isInUse(tx, parent)) {
      throw brokenRule(
        'parentId is not a group',
        `The label '${parent.name}' is on ${this.kind.on}, so it cannot become a group.`,
      );
    }
    await tx.sql.update(this.row, { id: parent.id }, { isGroup: true, updatedAt: now });
  }

  /** Team labels of this name are merged into the new workspace label: issues get it instead, and they are deleted. */
  private async merge(
    tx: Tx,
    viewer: Viewer,
    name: string,
    into: { id: string; isGroup: boolean },
    now: Date,
  ): Promise<void> {
    const merged = await this.statements.holdTeamLabels(tx, viewer, name);
    // a group is on no issue
    for (const label of merged) await this.remove(tx, viewer, label, into.isGroup ? null : into.id, now);
  }

  private async remove(tx: Tx, viewer: Viewer, label: Label, replacement: string | null, now: Date): Promise<void> {
    await this.statements.takeOffAll(tx, label, replacement, now);
    await tx.sql.update(this.row, { parentId: label.id }, { parentId: null, updatedAt: now });
    await tx.sql.delete(this.row, { id: label.id });
  }

  /**
   * The rule spans the workspace and its teams, so creating or renaming a label locks the organization (lock order:
   * last).
   */
  private async claimName(tx: Tx, viewer: Viewer, name: string, teamId: string | null, id: string): Promise<void> {
    await this.access.organizationForUpdate(tx, viewer);
    const other = await this.statements.labelInTheWay(tx, viewer, { name, teamId, id });
    if (!other) return;
    // a private team's name is not for everybody
    const isHidden = other.teamId !== null && isHiddenTeam(viewer, other.teamId);
    throw duplicateLabel(isHidden ? name : other.name, isHidden ? undefined : (other.teamName ?? undefined));
  }

  private async recordEvent(
    tx: Tx,
    viewer: Viewer,
    action: EventAction,
    at: Date,
    after: Label,
    before?: Label,
  ): Promise<void> {
    const web = webFor(this.publicUrl.base, viewer);
    const { teamId = null } = after;
    const team = teamId === null ? [] : await this.access.teams.findMany(viewer, [teamId], tx);
    tx.record(
      trackerEvent({
        web,
        viewer,
        type: this.kind.name,
        action,
        data: labelData(after),
        previous: before && labelData(before),
        url: this.kind.url(web, viewer.urlKey, after.id),
        at,
        teams: team,
      }),
    );
  }
}

/** docs/reference/tracker-webhooks.md#envelope. */
function labelData(label: Label): Record<string, unknown> {
  const { id, createdAt, updatedAt, name, color, description, isGroup, parentId, teamId, creatorId } = label;
  return { id, createdAt, updatedAt, name, color, description, isGroup, parentId, teamId, creatorId };
}
