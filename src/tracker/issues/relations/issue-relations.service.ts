import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Referred, type Writing } from '../../entity/service.js';
import type { EventAction } from '../../events/tracker-events.js';
import { Team } from '../../store/team.entity.js';
import { WorkflowState } from '../../teams/states/workflow-state.entity.js';
import { brokenRule } from '../../values/errors.js';
import { recordHistory } from '../history/record-history.js';
import { IssueChanges } from '../issue-changes.js';
import { Issue } from '../issue.entity.js';
import { IssueRelation, issueRelationships } from './issue-relation.entity.js';

type Create = CreateInputOf<typeof issueRelationships>;
type Ends = Pick<IssueRelation, 'issueId' | 'relatedIssueId'>;

/** Relations of issues (docs/reference/tracker.md#issuerelation). */
@Injectable()
export class IssueRelationsService extends EntityService<typeof issueRelationships> {
  constructor(
    needs: EntityNeeds,
    private readonly access: Access,
    private readonly issues: IssueChanges,
  ) {
    super(issueRelationships, needs);
  }

  /** Sets type and direction of the relation that the two issues have, if they have one. */
  override create(viewer: Viewer, input: Create, createdAt?: Date) {
    return this.answer(viewer, async (tx) => {
      const referred = await this.refer(tx, viewer, input);
      const { issueId, relatedIssueId } = idsOf(referred);
      const before = await relationOf(tx, { issueId, relatedIssueId } as Ends);
      if (!before) return this.insert(tx, viewer, { ...input, ...(createdAt && { createdAt }) } as Create);
      const writing = { tx, viewer, at: this.needs.clock.now(), referred, before };
      return this.change(writing, { type: input.type, issueId, relatedIssueId } as Partial<IssueRelation>);
    });
  }

  override update(viewer: Viewer, id: string, input: UpdateInputOf<typeof issueRelationships>) {
    return this.answer(viewer, async (tx) => {
      const { issueId, relatedIssueId } = await this.door.visible(viewer, id, tx);
      const referred = await this.refer(tx, viewer, { issueId, relatedIssueId, ...input });
      const before = await this.hold(tx, viewer, id);
      const ends = idsOf(referred) as Ends;
      const other = await relationOf(tx, ends);
      if (other && other.id !== before.id) throw brokenRule('the issues are related already');
      return this.change({ tx, viewer, at: this.needs.clock.now(), referred, before }, { ...input, ...ends });
    });
  }

  protected override async filled(writing: Writing<IssueRelation>, input: Create): Promise<Partial<IssueRelation>> {
    const { issueId } = idsOf(writing.referred) as Ends;
    return input.type === 'duplicate' ? { leftStateId: await this.becomeDuplicate(writing, issueId) } : {};
  }

  protected override async retire(writing: Writing<IssueRelation>, relation: IssueRelation): Promise<void> {
    await this.refer(writing.tx, writing.viewer, { ...relation, leftStateId: undefined });
    await this.leaveDuplicate(writing, relation);
  }

  /** Both issues get an entry of their history. */
  protected override async record(writing: Writing<IssueRelation>, action: EventAction, row: IssueRelation) {
    const { tx, viewer, at, before } = writing;
    const [gone, come] = [action === 'create' ? undefined : before, action === 'remove' ? undefined : row];
    const told = [...(gone ? seen(gone, 'r') : []), ...(come ? seen(come, 'a') : [])];
    const issues = await tx.sql.findBy(Issue, { id: In(told.map(({ other }) => other)) });
    const shown = (id: string) => {
      const { identifier, teamId } = issues.find((issue) => issue.id === id) as Issue;
      return { identifier, teamId };
    };
    const changes = [...new Set(told.map(({ issueId }) => issueId))].map((issueId) => ({
      issueId,
      change: {
        relationChanges: told
          .filter((one) => one.issueId === issueId)
          .map(({ other, type }) => ({ ...shown(other), type })),
      },
    }));
    await recordHistory(tx, viewer, at, changes);
    await super.record(writing, action, row);
  }

  /** Both issues are locked, in the order of ids, so that two creations of one pair make one row. */
  protected override async refer(tx: Tx, viewer: Viewer, input: Record<string, unknown>): Promise<Referred> {
    const found = await super.refer(tx, viewer, input);
    const ids = Object.values(idsOf(found)) as string[];
    if (ids.length === 2 && ids[0] === ids[1]) throw brokenRule('an issue cannot be related to itself');
    await this.access.issues.findMany(viewer, ids, tx, 'change');
    return found;
  }

  /** Only those who see both issues hear of it, and where both are public everybody. */
  protected override async placeOf(writing: Writing<IssueRelation>, row: IssueRelation): Promise<Place> {
    const place = await super.placeOf(writing, row);
    const related = await writing.tx.sql.findOneByOrFail(Issue, { id: row.relatedIssueId });
    const team = await writing.tx.sql.findOneByOrFail(Team, { id: related.teamId });
    const teams = [...place.teams, team];
    return {
      ...place,
      shown: {},
      teams: teams.some((one) => one.private) ? teams.filter((one) => one.private) : teams,
    };
  }

  private async change(
    writing: Writing<IssueRelation> & { before: IssueRelation },
    wanted: Partial<IssueRelation>,
  ): Promise<IssueRelation> {
    const { before } = writing;
    const { type = before.type, issueId = before.issueId } = wanted;
    const [was, is] = [before.type === 'duplicate', type === 'duplicate'];
    const isSame = issueId === before.issueId;
    if (was && (!is || !isSame)) await this.leaveDuplicate(writing, before);
    const leftStateId = !is
      ? null
      : was && isSame
        ? before.leftStateId
        : await this.becomeDuplicate(writing, issueId, before.id);
    return this.store(writing, { ...wanted, leftStateId });
  }

  /** Moves an issue to its team's state for duplicates; answers the state that it left. A former such relation goes. */
  private async becomeDuplicate(
    writing: Writing<IssueRelation>,
    issueId: string,
    relationId?: string,
  ): Promise<string | null> {
    const { tx, viewer } = writing;
    const where = { issueId, type: 'duplicate', ...(relationId !== undefined && { id: Not(relationId) }) };
    const former = await tx.sql.findOneBy(IssueRelation, where);
    if (former) {
      await this.record({ ...writing, before: former }, 'remove', former);
      await tx.sql.delete(IssueRelation, { id: former.id });
    }
    const issue = await tx.sql.findOneByOrFail(Issue, { id: issueId });
    const [state] = await tx.sql.find(WorkflowState, {
      where: { teamId: issue.teamId, type: 'duplicate' },
      order: { position: 'ASC', id: 'ASC' },
    });
    if (state && state.archivedAt === null && state.id !== issue.stateId) {
      await this.issues.enter(tx, viewer, issueId, state.id);
    }
    return former ? former.leftStateId : issue.stateId;
  }

  /** Puts an issue that is in a state for duplicates back to the one that it left. */
  private async leaveDuplicate({ tx, viewer }: Writing<IssueRelation>, relation: IssueRelation): Promise<void> {
    if (relation.type !== 'duplicate' || relation.leftStateId === null) return;
    const issue = await tx.sql.findOneByOrFail(Issue, { id: relation.issueId });
    const now = await tx.sql.findOneByOrFail(WorkflowState, { id: issue.stateId });
    const left = await tx.sql.findOneBy(WorkflowState, { id: relation.leftStateId });
    if (now.type !== 'duplicate' || left?.archivedAt !== null || left.teamId !== issue.teamId) return;
    await this.issues.enter(tx, viewer, issue.id, left.id);
  }
}

/** A relation from both ends; the related issue's end has an `x` (docs/reference/tracker.md#issuehistory). */
const seen = ({ issueId, relatedIssueId, type }: IssueRelation, sign: 'a' | 'r') => [
  { issueId, other: relatedIssueId, type: `${sign}${type.charAt(0)}` },
  { issueId: relatedIssueId, other: issueId, type: `${sign}x${type.charAt(0)}` },
];

const idsOf = (referred: Referred): Partial<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(referred).flatMap(([property, row]) => (row ? [[property, (row as { id: string }).id]] : [])),
  );

/** In either direction. */
const relationOf = (tx: Tx, { issueId, relatedIssueId }: Ends): Promise<IssueRelation | null> =>
  tx.sql.findOneBy(IssueRelation, [
    { issueId, relatedIssueId },
    { issueId: relatedIssueId, relatedIssueId: issueId },
  ]);
