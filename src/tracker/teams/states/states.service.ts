import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { Access } from '../../access/access.js';
import { brokenRule, duplicate, idAlreadyUsed, teamArchived, unknownReference } from '../../values/errors.js';
import { hasIssuesInState } from '../../store/issues-of-teams.queries.js';
import { mutate } from '../../events/mutation.js';
import { WorkflowState, type WorkflowStateKind } from './workflow-state.entity.js';
import type { Team } from '../../store/team.entity.js';
import { differences } from '../../store/differences.js';
import { insertUnlessTaken } from '../../../kernel/database/insert-unless-taken.js';
import type { Viewer } from '../../access/viewer.js';
import { stateEvent } from './states.events.js';
import { WorkflowStateCreateInput, WorkflowStateUpdateInput } from './states.inputs.js';
import { requireAdministrator } from '../team-administration.js';
import { webFor } from '../../values/urls.js';

/** Workflow states (docs/reference/tracker.md#workflowstate). Writes are serialized by the team's row. */
@Injectable()
export class StatesService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  create(viewer: Viewer, { position, ...input }: WorkflowStateCreateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.access.teams.find(viewer, input.teamId, tx, 'change');
      if (!team) throw unknownReference('teamId');
      await requireAdministrator(tx, viewer, team);
      if (team.archivedAt !== null) throw teamArchived(team.key);
      const at = this.clock.now();
      const type = input.type as WorkflowStateKind;
      const state = await insertUnlessTaken(tx, WorkflowState, {
        id: newUuid(),
        ...input,
        type,
        position: position ?? (await this.nextPosition(tx, team.id, type)),
        organizationId: viewer.organizationId,
        createdAt: at,
        updatedAt: at,
      });
      if (!state) {
        if (input.id !== undefined && (await tx.sql.existsBy(WorkflowState, { id: input.id })))
          throw idAlreadyUsed('WorkflowState', input.id);
        throw duplicate('state name', input.name);
      }
      tx.record(stateEvent(this.changeAuthor(viewer, at), 'create', state, team));
      return { workflowState: state };
    });
  }

  update(viewer: Viewer, id: string, input: WorkflowStateUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const { state, team } = await this.forAdministration(tx, viewer, id);
      return { workflowState: await this.change(tx, viewer, team, state, input) };
    });
  }

  archive(viewer: Viewer, id: string) {
    return mutate(this.db, viewer, async (tx) => {
      const { state, team } = await this.forAdministration(tx, viewer, id);
      if (state.archivedAt !== null) return { entity: state };
      await this.requireUnused(tx, state, team);
      return { entity: await this.change(tx, viewer, team, state, { archivedAt: this.clock.now() }) };
    });
  }

  private changeAuthor(viewer: Viewer, at: Date) {
    return { viewer, web: webFor(this.publicUrl.base, viewer), at };
  }

  /** The state and its team, whose row is locked first, as everywhere. */
  private async forAdministration(tx: Tx, viewer: Viewer, id: string): Promise<{ state: WorkflowState; team: Team }> {
    const { teamId } = await this.access.states.visible(viewer, id, tx);
    const team = await this.access.teams.forUpdate(tx, viewer, teamId);
    await requireAdministrator(tx, viewer, team);
    return { team, state: await this.access.states.forUpdate(tx, viewer, id) };
  }

  private async requireUnused(tx: Tx, state: WorkflowState, team: Team): Promise<void> {
    const refuse = (message: string, why: string) =>
      brokenRule(message, `The state "${state.name}" cannot be archived: ${why}.`);
    if (state.type === 'duplicate') throw refuse('state is needed', 'every team has a state for duplicates');
    if (state.id === team.defaultIssueStateId) {
      throw refuse('state is the default state of the team', 'it is where new issues of the team go');
    }
    // waits for running changes that put an issue into the state, and prevents others
    await tx.sql.findOne(WorkflowState, { where: { id: state.id }, lock: { mode: 'pessimistic_write' } });
    const { id, teamId, type } = state;
    if (!(await tx.sql.existsBy(WorkflowState, { id: Not(id), teamId, type, archivedAt: IsNull() }))) {
      throw refuse('state is the last one of its type', 'it is the last one of its type');
    }
    if (await hasIssuesInState(tx, id)) {
      throw refuse('state has issues', 'there are issues in it');
    }
  }

  /** After the others of its type. */
  private async nextPosition(tx: Tx, teamId: string, type: WorkflowStateKind): Promise<number> {
    const last = await tx.sql.maximum(WorkflowState, 'position', { teamId, type, archivedAt: IsNull() });
    return last === null ? 0 : last + 1;
  }

  private async change(
    tx: Tx,
    viewer: Viewer,
    team: Team,
    state: WorkflowState,
    wanted: Partial<WorkflowState>,
  ): Promise<WorkflowState> {
    const change = differences(state, wanted);
    if (Object.keys(change).length === 0) return state;
    const at = this.clock.now();
    const values = { ...change, updatedAt: at };
    await tx.sql.update(WorkflowState, { id: state.id }, values).catch((error: unknown) => {
      if ((error as { constraint?: unknown }).constraint === 'workflow_states_name')
        throw duplicate('state name', String(change.name));
      throw error;
    });
    const changed = { ...state, ...values };
    tx.record(stateEvent(this.changeAuthor(viewer, at), 'update', changed, team, state));
    return changed;
  }
}
