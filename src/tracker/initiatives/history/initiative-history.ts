import { newUuid } from '../../../kernel/ids/ids.js';
import { fieldChanges } from '../../entity/field-history.js';
import type { Writing } from '../../entity/service.js';
import type { Initiative } from '../initiative.entity.js';
import { InitiativeHistory } from './initiative-history.entity.js';

const TRACKED = [
  'name',
  'description',
  'content',
  'icon',
  'color',
  'status',
  'ownerId',
  'labelIds',
  'priority',
  'targetDate',
  'targetDateResolution',
  'archivedAt',
  'trashed',
] as const;

/** What a mutation changed, as one entry. */
export async function recordInitiativeHistory(
  { tx, viewer, at, before }: Writing<Initiative> & { before: Initiative },
  after: Initiative,
): Promise<void> {
  const entries = fieldChanges(before, after, TRACKED);
  if (entries.length === 0) return;
  const { organizationId } = viewer;
  const times = { createdAt: at, updatedAt: at };
  await tx.sql.insert(InitiativeHistory, {
    id: newUuid(),
    organizationId,
    initiativeId: after.id,
    entries: entries as never,
    ...times,
  });
}
