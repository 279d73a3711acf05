import type { Tx } from '../../../kernel/database/db.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { fieldChanges } from '../../entity/field-history.js';
import type { Project } from '../project.entity.js';
import { ProjectHistory } from './project-history.entity.js';

const TRACKED = [
  'name',
  'description',
  'content',
  'icon',
  'color',
  'statusId',
  'priority',
  'leadId',
  'memberIds',
  'teamIds',
  'labelIds',
  'startDate',
  'startDateResolution',
  'targetDate',
  'targetDateResolution',
  'archivedAt',
  'trashed',
] as const;

/** What a mutation changed, as one entry. */
export async function recordProjectHistory(tx: Tx, before: Project, after: Project, at: Date): Promise<void> {
  const entries = fieldChanges(before, after, TRACKED);
  if (entries.length === 0) return;
  const { id: projectId, organizationId } = after;
  const times = { createdAt: at, updatedAt: at };
  await tx.sql.insert(ProjectHistory, {
    id: newUuid(),
    organizationId,
    projectId,
    entries: entries as never,
    ...times,
  });
}
