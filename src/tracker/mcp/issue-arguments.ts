import { z } from 'zod';

/* How arguments of the issue tools are described to a model. */

export const some = (what: string): z.ZodString => z.string().min(1).describe(what);
export const TEAM_NAME = 'the team: key (ENG), name or id';
export const STATE_NAME = 'workflow state, by name as list_teams shows it (Todo, In Progress, Done), or id';
export const ASSIGNEE = "person: e-mail, display name, id, or me for the key's owner";
export const PROJECT_NAME = 'project: name or id';
