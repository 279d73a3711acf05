import { withoutAt } from '../../kernel/text/names.js';
import { refused, type TrackerApi, type Variables } from './tracker-api.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (value: string): boolean => UUID.test(value);

/** A list in which names are looked up; several fit into one request. */
interface Lookup {
  readonly root: 'teams' | 'workflowStates' | 'issueLabels' | 'projects' | 'users';
  readonly filterType: string;
  readonly filter: Variables;
  readonly fields: string;
}

interface Named {
  id: string;
  name: string;
}

/** The most objects of one name within such a list. */
const MAX_NODES = 50;

const ignoringCase = (value: string): Variables => ({ eqIgnoreCase: value });
const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Answers the nodes of each lookup, in one request. */
async function lookUp(api: TrackerApi, lookups: readonly (Lookup | undefined)[]): Promise<unknown[][]> {
  const asked = lookups.flatMap((lookup, i) => (lookup ? [{ ...lookup, i }] : []));
  if (asked.length === 0) return lookups.map(() => []);
  const declared = asked.map(({ filterType, i }) => `$f${i}: ${filterType}`).join(', ');
  const selected = asked
    .map(({ root, fields, i }) => `r${i}: ${root}(filter: $f${i}, first: ${MAX_NODES}) { nodes { ${fields} } }`)
    .join(' ');
  const variables = Object.fromEntries(asked.map(({ filter, i }) => [`f${i}`, filter]));
  const data = await api.run<Record<string, { nodes: unknown[] }>>(`query (${declared}) { ${selected} }`, variables);
  return lookups.map((_lookup, i) => data[`r${i}`]?.nodes ?? []);
}

/** An unknown name is refused as the API refuses an unknown id. */
const notFound = (type: string, value: string, advice: string): Error =>
  refused('INPUT_ERROR', `Could not find referenced ${type}.`, `Nothing is named ${JSON.stringify(value)}. ${advice}`);

function only<T extends Named>(found: readonly T[], type: string, value: string, advice: string): T {
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw refused(
      'INPUT_ERROR',
      `Could not find referenced ${type}.`,
      `Several are named "${value}": give one id of ${ids}.`,
    );
  }
  const [one] = found;
  if (!one) throw notFound(type, value, advice);
  return one;
}

/** Kinds of objects with names. A value that is an id is used as it is. */
export interface Names {
  team?: string | undefined;
  state?: string | undefined;
  assignee?: string | undefined;
  project?: string | undefined;
  labels?: readonly string[] | undefined;
}

export interface Ids {
  team?: string;
  state?: string;
  assignee?: string;
  project?: string;
  labels?: string[];
}

/**
 * Resolves names to ids, in two requests at most: states and labels have their names within a team. `teamOf` returns
 * the team when none is named and one is needed.
 */
export async function idsOf(api: TrackerApi, names: Names, teamOf?: () => Promise<string>): Promise<Ids> {
  const first = await teamUserProject(api, names);
  const byName = [names.state ?? '', ...(names.labels ?? [])].some((name) => name !== '' && !isId(name));
  const team = first.team ?? (byName ? await teamOf?.() : undefined);
  return { ...first, ...(await stateAndLabels(api, names, team)) };
}

async function teamUserProject(api: TrackerApi, { team, assignee, project }: Names): Promise<Ids> {
  const ids: Ids = {};
  const person = withoutAt(assignee ?? '');
  const [teams = [], users = [], projects = []] = await lookUp(api, [
    team !== undefined && !isId(team)
      ? {
          root: 'teams',
          filterType: 'TeamFilter',
          filter: { or: [{ key: ignoringCase(team) }, { name: ignoringCase(team) }] },
          fields: 'id key name',
        }
      : undefined,
    assignee !== undefined && !isId(assignee)
      ? {
          root: 'users',
          filterType: 'UserFilter',
          filter:
            assignee === 'me'
              ? { isMe: { eq: true } }
              : { or: ['email', 'displayName', 'name'].map((field) => ({ [field]: ignoringCase(person) })) },
          fields: 'id name displayName email',
        }
      : undefined,
    project !== undefined && !isId(project)
      ? {
          root: 'projects',
          filterType: 'ProjectFilter',
          filter: { or: [{ name: ignoringCase(project) }, { slugId: { eq: project } }] },
          fields: 'id name',
        }
      : undefined,
  ]);
  if (team !== undefined) ids.team = isId(team) ? team : teamOfName(teams as Team[], team).id;
  if (assignee !== undefined) {
    ids.assignee = isId(assignee) ? assignee : userOfName(users as User[], assignee === 'me' ? undefined : person).id;
  }
  if (project !== undefined) {
    ids.project = isId(project)
      ? project
      : only(projects as Named[], 'Project', project, 'list_projects shows the projects.').id;
  }
  return ids;
}

type Team = Named & { key: string };
type User = Named & { displayName: string; email: string };

/** A key is unique and comes before a name, which is not. */
const teamOfName = (found: readonly Team[], value: string): Team =>
  found.find((team) => same(team.key, value)) ?? only(found, 'Team', value, 'list_teams shows keys and names.');

/** E-mail and display name are unique and come before the full name. Undefined: the caller. */
const userOfName = (found: readonly User[], value: string | undefined): User =>
  found.find((user) => value === undefined || same(user.email, value) || same(user.displayName, value)) ??
  only(found, 'User', value ?? 'me', "Give an active user's e-mail or display name, or me.");

async function stateAndLabels(api: TrackerApi, { state, labels = [] }: Names, team: string | undefined): Promise<Ids> {
  const inTeam = team === undefined ? {} : { team: { id: { eq: team } } };
  const stateName = state !== undefined && !isId(state) ? state : undefined;
  const labelNames = labels.filter((label) => !isId(label));
  const [states = [], found = []] = (await lookUp(api, [
    stateName === undefined
      ? undefined
      : {
          root: 'workflowStates',
          filterType: 'WorkflowStateFilter',
          filter: { name: ignoringCase(stateName), ...inTeam },
          fields: 'id name',
        },
    labelNames.length === 0
      ? undefined
      : {
          root: 'issueLabels',
          filterType: 'IssueLabelFilter',
          filter: {
            or: labelNames.map((name) => ({ name: ignoringCase(name) })),
            ...(team === undefined ? {} : { and: [{ or: [{ team: { null: true } }, inTeam] }] }),
          },
          fields: 'id name',
        },
  ])) as [Named[]?, Named[]?];
  const ids: Ids = {};
  if (state !== undefined) {
    ids.state = isId(state)
      ? state
      : only(states, 'WorkflowState', state, 'list_teams shows the states of each team.').id;
  }
  if (labels.length > 0) {
    ids.labels = labels.map((label) =>
      isId(label)
        ? label
        : only(
            found.filter(({ name }) => same(name, label)),
            'IssueLabel',
            label,
            "Only the team's own and the organization's labels can be used.",
          ).id,
    );
  }
  return ids;
}

/** Whether a state and a label of these names exist at all, in one team or anywhere: a filter goes by their names. */
export async function requireNames(
  api: TrackerApi,
  { state, label }: { state?: string | undefined; label?: string | undefined },
  team: string | undefined,
): Promise<void> {
  const inTeam = team === undefined ? {} : { team: { id: { eq: team } } };
  const [states = [], labels = []] = await lookUp(api, [
    state === undefined || isId(state)
      ? undefined
      : {
          root: 'workflowStates',
          filterType: 'WorkflowStateFilter',
          filter: { name: ignoringCase(state), ...inTeam },
          fields: 'id',
        },
    label === undefined || isId(label)
      ? undefined
      : {
          root: 'issueLabels',
          filterType: 'IssueLabelFilter',
          filter: {
            name: ignoringCase(label),
            ...(team === undefined ? {} : { or: [{ team: { null: true } }, inTeam] }),
          },
          fields: 'id',
        },
  ]);
  if (state !== undefined && !isId(state) && states.length === 0) {
    throw notFound('WorkflowState', state, 'list_teams shows the states of each team.');
  }
  if (label !== undefined && !isId(label) && labels.length === 0) {
    throw notFound('IssueLabel', label, 'The labels of an issue are shown with it.');
  }
}

/** The filter of a name or an id. */
export const named = (value: string): Variables =>
  isId(value) ? { id: { eq: value } } : { name: ignoringCase(value) };
