import type { Tx } from '../../kernel/database/db.js';
import type { Access, Door } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import { templatesApplied, usableTemplate, withTemplate } from '../templates/applied-templates.js';
import type { EntityKey } from '../store/entity-rows.js';
import { unknownReference } from '../values/errors.js';
import { ProjectCreateInput } from './projects.inputs.js';

/** Keys that no template fills. */
const NEVER = ['id', 'name', 'teamIds', 'templateId', 'useDefaultTemplate', 'lastAppliedTemplateId'] as const;

/**
 * The input with what its template, or that of its first team, says besides; things that are gone are left out of that.
 * @throws unknownReference, brokenRule
 */
export async function withProjectTemplate(
  tx: Tx,
  viewer: Viewer,
  access: Access,
  given: ProjectCreateInput,
  now: Date,
): Promise<Omit<ProjectCreateInput, 'templateId' | 'useDefaultTemplate'>> {
  const { templateId, useDefaultTemplate, ...rest } = given;
  const { teamIds, lastAppliedTemplateId } = rest;
  await requireTemplate(tx, viewer, access, lastAppliedTemplateId);
  const id = templateId ?? (useDefaultTemplate ? await defaultOf(tx, viewer, access, teamIds[0] as string) : undefined);
  if (id === undefined) return rest;
  const found = await access.templates.find(viewer, id, tx, 'use');
  const template = usableTemplate(found, 'templateId', { type: 'project', teamIds });
  await templatesApplied(tx, [template.id], now);
  const { input, taken } = withTemplate(rest, template, { type: ProjectCreateInput, never: NEVER, now });
  return { ...(await withoutGone(tx, viewer, access, input, taken)), lastAppliedTemplateId: template.id };
}

/** The template that a project says it was made from. @throws unknownReference */
export async function requireTemplate(
  tx: Tx,
  viewer: Viewer,
  access: Access,
  id: string | null | undefined,
): Promise<void> {
  if (typeof id === 'string' && !(await access.templates.find(viewer, id, tx, 'use')))
    throw unknownReference('lastAppliedTemplateId');
}

async function defaultOf(tx: Tx, viewer: Viewer, access: Access, teamId: string): Promise<string | undefined> {
  return (await access.teams.find(viewer, teamId, tx))?.defaultProjectTemplateId ?? undefined;
}

async function withoutGone(
  tx: Tx,
  viewer: Viewer,
  access: Access,
  input: ProjectCreateInput,
  taken: ReadonlySet<string>,
): Promise<ProjectCreateInput> {
  const kept = { ...input };
  const doors: Record<string, Door<EntityKey>> = {
    leadId: access.users as Door<EntityKey>,
    memberIds: access.users as Door<EntityKey>,
    labelIds: access.projectLabels as Door<EntityKey>,
    statusId: access.projectStatuses as Door<EntityKey>,
    convertedFromIssueId: access.issues as Door<EntityKey>,
  };
  for (const [key, door] of Object.entries(doors) as [keyof ProjectCreateInput, Door<EntityKey>][]) {
    const value = input[key] as string | string[] | undefined;
    if (!taken.has(key) || value === undefined) continue;
    const found = (await door.findMany(viewer, [value].flat(), tx)).filter(isUsable).map(({ id }) => id);
    if (Array.isArray(value)) Object.assign(kept, { [key]: found });
    else if (found.length === 0) delete kept[key];
  }
  return kept;
}

/** Whether it may be named still: it is not archived, retired or suspended. */
const isUsable = (row: object): row is { id: string } => {
  const { archivedAt, retiredById, active } = row as {
    archivedAt?: Date | null;
    retiredById?: string | null;
    active?: boolean;
  };
  return !archivedAt && !retiredById && active !== false;
};
