import { In } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import type { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { requireApplicable } from '../../labels/label-rules.js';
import { labelsApplied } from '../../labels/labels.queries.js';
import { unknownReference } from '../../values/errors.js';
import { InitiativeLabel } from './initiative-label.entity.js';

/**
 * The labels of an initiative once these are named for it: those that it has keep their order and are not judged.
 * @param wanted.field as the caller wrote it
 * @throws unknownReference, brokenRule
 */
export async function labelled(
  { tx, viewer, at }: { tx: Tx; viewer: Viewer; at: Date },
  door: Door<'InitiativeLabel'>,
  present: readonly string[],
  wanted: { readonly ids: readonly string[]; readonly field: string },
): Promise<string[]> {
  const kept = present.filter((id) => wanted.ids.includes(id));
  const added = wanted.ids.filter((id) => !present.includes(id));
  if (added.length === 0) return kept;
  const labels = await door.findMany(viewer, added, tx, 'use');
  if (labels.length !== added.length) throw unknownReference(wanted.field);
  const others = await tx.sql.findBy(InitiativeLabel, { id: In(kept) });
  requireApplicable(labels.map(ofNoTeam), others.map(ofNoTeam), { kind: 'initiative', teamIds: [] });
  await labelsApplied(tx, 'initiative_labels', added, at);
  return [...kept, ...labels.map(({ id }) => id)];
}

const ofNoTeam = (label: InitiativeLabel) => ({ ...label, teamId: null });
