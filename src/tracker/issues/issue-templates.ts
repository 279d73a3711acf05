import type { Tx } from '../../kernel/database/db.js';
import type { Access } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import { templatesApplied, usableTemplate, withTemplate } from '../templates/applied-templates.js';
import type { Template } from '../templates/template.entity.js';
import { TrackerError } from '../values/errors.js';
import type { Creation } from './creation.js';
import type { Facts, Kind } from './issue-facts.js';
import { isTemplated, IssueCreateInput } from './issues.inputs.js';

/** Keys that no template fills. */
const NEVER = [
  'id',
  'teamId',
  'templateId',
  'useDefaultTemplate',
  'lastAppliedTemplateId',
  'createAsUser',
  'displayIconUrl',
  'createdAt',
  'completedAt',
] as const;

/** What the keys of an input refer to. */
const REFERENCES: Readonly<Record<string, Kind>> = {
  stateId: 'state',
  assigneeId: 'user',
  delegateId: 'user',
  projectId: 'project',
  projectMilestoneId: 'milestone',
  cycleId: 'cycle',
  labelIds: 'label',
  subscriberIds: 'user',
  sourceCommentId: 'comment',
};

/** A creation whose template was applied, and which keys of its input are the template's. */
export type Templated = Creation & { readonly taken?: ReadonlySet<string> };

/**
 * The creations with what their templates say besides, each in its place; what a template is refused with stands in the
 * place of that creation.
 */
export async function applyTemplates(
  tx: Tx,
  access: Access,
  creations: readonly Creation[],
): Promise<(Templated | TrackerError)[]> {
  if (!creations.some(({ input }) => isTemplated(input))) return [...creations];
  const found = new Map<string, Awaited<ReturnType<typeof templatesFor>>>();
  for (const { viewer } of creations) {
    if (found.has(viewer.userId)) continue;
    const inputs = creations.filter((one) => one.viewer.userId === viewer.userId).map(({ input }) => input);
    found.set(viewer.userId, await templatesFor(tx, access, viewer, inputs));
  }
  const applied = creations.map((creation) => {
    try {
      return applyTemplate(creation, found.get(creation.viewer.userId)?.(creation.input));
    } catch (error) {
      if (error instanceof TrackerError) return error;
      throw error;
    }
  });
  const used = applied.flatMap((one) =>
    !(one instanceof TrackerError) && one.taken ? [one.input.lastAppliedTemplateId as string] : [],
  );
  await templatesApplied(tx, [...new Set(used)], (creations[0] as Creation).now);
  return applied;
}

/** What a caller's inputs ask for: null for none, undefined for one that is not there. */
async function templatesFor(
  tx: Tx,
  access: Access,
  viewer: Viewer,
  inputs: readonly IssueCreateInput[],
): Promise<(input: IssueCreateInput) => Template | null | undefined> {
  const teamIds = inputs.filter((one) => one.useDefaultTemplate === true).map(({ teamId }) => teamId);
  const teams = new Map((await access.teams.findMany(viewer, teamIds, tx)).map((team) => [team.id, team]));
  const idOf = ({ templateId, useDefaultTemplate, teamId }: IssueCreateInput): string | null =>
    templateId ?? (useDefaultTemplate ? (teams.get(teamId)?.defaultTemplateForMembersId ?? null) : null);
  const ids = inputs.flatMap((input) => idOf(input) ?? []);
  const templates = new Map((await access.templates.findMany(viewer, ids, tx, 'use')).map((one) => [one.id, one]));
  return (input) => {
    const id = idOf(input);
    return id === null ? null : templates.get(id);
  };
}

/** @param found null for none. @throws unknownReference, brokenRule */
function applyTemplate(creation: Creation, found: Template | null | undefined): Templated {
  if (found === null) return creation;
  const { input: given, now } = creation;
  const template = usableTemplate(found, 'templateId', { type: 'issue', teamIds: [given.teamId] });
  const { input, taken } = withTemplate(given, template, { type: IssueCreateInput, never: NEVER, now });
  return { ...creation, input: Object.assign(input, { lastAppliedTemplateId: template.id }), taken };
}

/** The creation without what its template names and is gone. @param parentId of the issue that is its parent */
export function withoutGone(creation: Templated, facts: Facts, parentId: string | undefined): Creation {
  const { viewer, taken, input } = creation;
  if (!taken) return creation;
  const isGone = (kind: Kind, id: string): boolean => {
    const fact = facts.visible(kind, id, viewer) as
      { isArchived?: boolean; active?: boolean; retiredById?: string | null } | undefined;
    return !fact || fact.isArchived === true || fact.active === false || (fact.retiredById ?? null) !== null;
  };
  const kept = Object.create(IssueCreateInput.prototype as object) as Record<string, unknown>;
  for (const [key, value] of Object.entries(input)) {
    const kind = taken.has(key) ? REFERENCES[key] : undefined;
    if (kind && Array.isArray(value)) kept[key] = (value as string[]).filter((id) => !isGone(kind, id));
    else if (!kind || !isGone(kind, value as string)) kept[key] = value;
  }
  const isParentGone = taken.has('parentId') && (parentId === undefined || isGone('parent', parentId));
  if (isParentGone) delete kept['parentId'];
  return { ...creation, input: kept as unknown as IssueCreateInput };
}
