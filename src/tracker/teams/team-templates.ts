import type { Tx } from '../../kernel/database/db.js';
import type { Access } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import { usableTemplate } from '../templates/applied-templates.js';

/** The templates that a team's new issues and projects begin with, by what they are for. */
const DEFAULTS = {
  defaultTemplateForMembersId: 'issue',
  defaultTemplateForNonMembersId: 'issue',
  defaultProjectTemplateId: 'project',
} as const;

type Wanted = { readonly [K in keyof typeof DEFAULTS]?: string | null };

/**
 * Templates that an input names are the workspace's or the team's, and of the right type. A new team has none yet.
 * @throws unknownReference, brokenRule
 */
export async function requireOwnTemplates(
  tx: Tx,
  viewer: Viewer,
  access: Access,
  wanted: Wanted,
  teamId?: string,
): Promise<void> {
  for (const [field, type] of Object.entries(DEFAULTS) as [keyof Wanted, 'issue' | 'project'][]) {
    const id = wanted[field];
    if (id === null || id === undefined) continue;
    const template = await access.templates.find(viewer, id, tx, 'use');
    usableTemplate(template, field, { type, teamIds: teamId === undefined ? [] : [teamId] });
  }
}
