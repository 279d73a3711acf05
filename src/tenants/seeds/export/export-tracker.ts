import type { Tx } from '../../../kernel/database/db.js';
import { LABELS_TO_EXPORT, ISSUE_NAMES } from '../../../tracker/issues/seeds.queries.js';
import { APPLICATIONS_TO_EXPORT } from '../../../tracker/oauth/seeds.queries.js';
import { PROJECTS_TO_EXPORT } from '../../../tracker/projects/seeds.queries.js';
import { GUIDANCE_TO_EXPORT } from '../../../tracker/provisioning/seeds.queries.js';
import { WORKFLOW_STATES } from '../../../tracker/provisioning/setup.js';
import { TEAMS_TO_EXPORT, STATES_TO_EXPORT, CYCLE_NUMBERS } from '../../../tracker/teams/seeds.queries.js';
import { WEBHOOKS_TO_EXPORT } from '../../../tracker/webhooks/seeds.queries.js';
import { exportIssues } from './export-issues.js';
import { wordFor, type Word } from '../names-in-json.js';
import { exportThings, type NameOut, type WordOut } from './export-things.js';
import { said, uniqueName, type ExportRefs } from './names-out.js';
import type { State, TrackerNamesOut } from './tracker-names-out.js';

type Json = Record<string, unknown>;

interface Team extends Json {
  id: string;
  key: string;
  name: string;
  description: string | null;
  private: boolean;
  members: string[];
  defaultStateId: string;
}

interface Label extends Json {
  id: string;
  teamId: string | null;
  name: string;
  color: string;
  description: string | null;
}

interface Cycle extends Json {
  id: string;
  teamId: string;
  number: number;
}

interface Project extends Json {
  id: string;
  name: string;
  leadId: string | null;
  teams: string[];
  members: string[];
}

/** The tracker's half of a document, and the time of its newest issue or comment, in microseconds. */
export async function exportTracker(
  tx: Tx,
  organizationId: string,
  context: Pick<TrackerNamesOut, 'people' | 'ownerId' | 'refs' | 'ids'>,
): Promise<{ tracker: Json; newest: number }> {
  const { people, refs } = context;
  const id = (row: { id: string }): string | undefined => (context.ids ? row.id : undefined);
  const teams = await tx.query<Team>(TEAMS_TO_EXPORT, [organizationId]);
  const keys = new Map(teams.map((team) => [team.id, team.key]));
  const states = await tx.query<State>(STATES_TO_EXPORT, [organizationId]);
  const labels = await tx.query<Label>(LABELS_TO_EXPORT, [organizationId]);
  const projects = await tx.query<Project>(PROJECTS_TO_EXPORT, [organizationId]);
  const cycles = await tx.query<Cycle>(CYCLE_NUMBERS, [organizationId]);
  const taken = new Set<string>();
  const projectNames = new Map(projects.map((project) => [project.id, uniqueName(project.name, taken, 80)]));
  const names: TrackerNamesOut = {
    ...context,
    states: new Map(states.map((state) => [state.id, state])),
    labels: new Map(labels.map((label) => [label.id, label.name])),
    cycles: new Map(cycles.map(({ id: one, number }) => [one, number])),
    projects: projectNames,
  };
  const labelNames = names.labels;
  const issueNames = await issueIdentifiers(tx, organizationId);
  const nameOf: NameOut = (entity, one) => {
    switch (entity) {
      case 'User':
        return people.get(one);
      case 'Team':
        return keys.get(one);
      case 'Project':
        return projectNames.get(one);
      case 'IssueLabel':
        return labelNames.get(one);
      case 'WorkflowState':
        return names.states.get(one)?.name;
      case 'Cycle':
        return names.cycles.get(one)?.toString();
      case 'Issue': {
        const identifier = issueNames.get(one);
        return identifier === undefined ? undefined : refs.ensure(one, identifier);
      }
      default:
        return undefined;
    }
  };
  const words = wordsOf({ people, keys, projects, projectNames, states, labels, cycles });
  const wordOf: WordOut = (one) => {
    const issue = nameOf('Issue', one);
    return issue === undefined ? words.get(one) : wordFor('issue', issue);
  };
  const things = await exportThings(tx, organizationId, { ids: context.ids, nameOf, wordOf });
  const { issues, newest } = await exportIssues(tx, organizationId, names, things);
  const labelsOf = (teamId: string | null): Json[] =>
    labels
      .filter((label) => label.teamId === teamId)
      .map((label) => said({ id: id(label), name: label.name, color: label.color, description: label.description }));
  const named = (list: readonly string[], of: ReadonlyMap<string, string>): string[] =>
    list.flatMap((one) => of.get(one) ?? []).sort();
  const [organization] = await tx.query<Json>(GUIDANCE_TO_EXPORT, [organizationId]);
  const tracker = {
    guidance: organization?.['guidance'],
    labels: labelsOf(null),
    teams: teams.map((team) => ({
      ...said({
        id: id(team),
        key: team.key,
        name: team.name,
        description: team.description,
        private: team.private || undefined,
        members: named(team.members, people),
        guidance: team['guidance'],
        labels: labelsOf(team.id),
        states: exportedStates(
          states.filter(({ teamId }) => teamId === team.id),
          context.ids,
        ),
        ...things.of(team.id),
        issues: issues.get(team.id),
      }),
    })),
    projects: projects
      .map((project) =>
        said({
          id: id(project),
          name: projectNames.get(project.id),
          description: project['description'],
          content: project['content'],
          teams: named(project.teams, keys),
          members: named(project.members, people),
          labels: project['labels'],
          lead: project.leadId === null ? undefined : people.get(project.leadId),
          status: project['status'],
          priority: project['priority'] === 0 ? undefined : project['priority'],
          start_date: project['startDate'],
          target_date: project['targetDate'],
          ...things.of(project.id),
        }),
      )
      .filter(({ teams: ofProject }) => ofProject !== undefined)
      // one that is told apart from another by a number has its place by that
      .sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
    ...things.of(),
    webhooks: await exportWebhooks(tx, organizationId, keys, refs, context.ids),
    apps: await exportApplications(tx, organizationId, people),
  };
  // a document without teams stands for the team that each sandbox begins with
  return { tracker: { ...said(tracker), teams: tracker.teams }, newest: Math.max(newest, things.newest) };
}

/** What JSON of the document has for the ids of what it holds, besides issues and declared things. */
function wordsOf(of: {
  people: ReadonlyMap<string, string>;
  keys: ReadonlyMap<string, string>;
  projects: readonly Project[];
  projectNames: ReadonlyMap<string, string>;
  states: readonly State[];
  labels: readonly Label[];
  cycles: readonly Cycle[];
}): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  const add = (word: Word, id: string, teamId: string | null, name: string | number): void => {
    const key = teamId === null ? null : of.keys.get(teamId);
    if (key !== undefined) words.set(id, key === null ? wordFor(word, name) : wordFor(word, key, name));
  };
  for (const [id, name] of of.people) add('user', id, null, name);
  for (const [id, key] of of.keys) add('team', id, null, key);
  for (const { id, teams } of of.projects)
    if (teams.some((team) => of.keys.has(team))) add('project', id, null, of.projectNames.get(id) as string);
  for (const { id, teamId, name } of of.states) add('state', id, teamId, name);
  for (const { id, teamId, name } of of.labels) add('label', id, teamId, name);
  for (const { id, teamId, number } of of.cycles) add('cycle', id, teamId, number);
  return words;
}

/** Of the issues that a document holds. */
async function issueIdentifiers(tx: Tx, organizationId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; identifier: string }>(ISSUE_NAMES, [organizationId]);
  return new Map(rows.map(({ id, identifier }) => [id, identifier]));
}

/** Besides those that every team has. */
function exportedStates(states: readonly State[], ids: boolean): Json[] {
  return states
    .filter(({ name, type, color, description }) => {
      const isDefault = WORKFLOW_STATES.some((one) => one[0] === name && one[1] === type && one[2] === color);
      return ids || !isDefault || description !== null;
    })
    .map((state) => {
      const { name, type, color, description } = state;
      return said({ id: ids ? state.id : undefined, name, type, color, description });
    });
}

async function exportApplications(
  tx: Tx,
  organizationId: string,
  people: ReadonlyMap<string, string>,
): Promise<Json[]> {
  interface Application extends Json {
    name: string;
    redirectUris: string[];
    hasClientCredentials: boolean;
    isPublic: boolean;
    webhookUrl: string | null;
    resourceTypes: string[];
    actor: 'user' | 'app' | null;
    scopes: string[] | null;
    grantedById: string | null;
  }
  const taken = new Set<string>();
  return (await tx.query<Application>(APPLICATIONS_TO_EXPORT, [organizationId])).map((app) =>
    said({
      name: uniqueName(app.name, taken, 80),
      redirect_uris: app.redirectUris,
      client_credentials: app.hasClientCredentials || undefined,
      public: app.isPublic || undefined,
      webhook_url: app.webhookUrl,
      webhook_resource_types: app.resourceTypes.length === 0 ? undefined : app.resourceTypes,
      installed:
        app.actor === null
          ? undefined
          : said({ actor: app.actor, scopes: app.scopes, as: people.get(app.grantedById ?? '') }),
    }),
  );
}

async function exportWebhooks(
  tx: Tx,
  organizationId: string,
  keys: ReadonlyMap<string, string>,
  refs: ExportRefs,
  ids: boolean,
): Promise<Json[]> {
  interface Hook extends Json {
    id: string;
    url: string;
    label: string | null;
    resourceTypes: string[];
    teamId: string | null;
  }
  return (await tx.query<Hook>(WEBHOOKS_TO_EXPORT, [organizationId])).map(({ id, url, label, resourceTypes, teamId }) =>
    said({
      id: ids ? id : undefined,
      url,
      label,
      resource_types: resourceTypes,
      team: teamId === null ? undefined : keys.get(teamId),
      ref: refs.of(id),
    }),
  );
}
