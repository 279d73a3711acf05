import { WORKFLOW_STATES } from '../../tracker/provisioning/setup.js';
import { WEBHOOK_RESOURCE_TYPES } from '../../tracker/webhooks/webhooks.types.js';
import type { Span, TrackerNames } from './known-tracker.js';
import type { SeedIssue, SeedTeam, SeedTracker } from './seed-types.js';

/**
 * A fault with its path for each reference in the tracker's half that names nothing, neither there nor in the document.
 * @param names of what is there
 * @param isPerson whether there is, or will be, a person of the name
 */
export function unknownTrackerNames(
  { teams = [], labels, projects, webhooks, apps, things }: SeedTracker,
  names: TrackerNames,
  isPerson: (name: string) => boolean,
): string[] {
  const faults: string[] = [];
  const find = (isThere: boolean, path: string, what: string): void => {
    if (!isThere) faults.push(`${path}: no ${what}`);
  };
  const findPerson = (name: string, path: string): void =>
    find(name === '' || isPerson(name), path, `user has the name "${name}"`);
  const teamKeys = new Set([...names.teams.keys(), ...teams.map(({ key }) => key)]);
  const findTeam = (key: string, path: string): void =>
    find(teamKeys.has(key.toUpperCase()), path, `team has the key "${key}"`);
  const projectNames = new Set([...names.projects.keys(), ...projects.map(({ name }) => name)]);
  const shared = new Set(labels.map(({ name }) => name.toLowerCase()));

  const newStatuses = new Set(
    things.filter(({ entity }) => entity === 'ProjectStatus').map(({ values }) => String(values['name']).toLowerCase()),
  );
  for (const { path, status, teams: keys, lead, members } of projects) {
    if (status !== undefined)
      find(
        names.status(status) !== undefined || newStatuses.has(status.toLowerCase()),
        `${path}.status`,
        `status has the name "${status}"`,
      );
    for (const [i, key] of keys.entries()) findTeam(key, `${path}.teams[${i}]`);
    if (lead !== undefined) findPerson(lead, `${path}.lead`);
    for (const [i, member] of members.entries()) findPerson(member, `${path}.members[${i}]`);
  }
  for (const team of teams) {
    const has = namesOfTeam(team, names, shared);
    faults.push(...has.faults);
    for (const [i, member] of team.members.entries()) findPerson(member, `${team.path}.members[${i}]`);
    for (const { as, dismissed, activities, path } of team.issues.flatMap(({ sessions }) => sessions)) {
      if (as !== undefined) findPerson(as, `${path}.as`);
      if (dismissed !== undefined) findPerson(dismissed, `${path}.dismissed`);
      for (const said of activities) if (said.as !== undefined) findPerson(said.as, `${said.path}.as`);
    }
    for (const issue of team.issues) {
      const { path, state, assignee, as, project, cycle } = issue;
      if (state !== undefined)
        find(has.states.has(state.toLowerCase()), `${path}.state`, `state has the name "${state}"`);
      if (assignee !== undefined) findPerson(assignee, `${path}.assignee`);
      if (as !== undefined) findPerson(as, `${path}.as`);
      if (project !== undefined)
        find(projectNames.has(project), `${path}.project`, `project has the name "${project}"`);
      if (cycle !== undefined)
        find(has.cycles.has(cycle), `${path}.cycle`, `cycle of the team has the number "${cycle}"`);
      for (const [i, label] of issue.labels.entries()) {
        find(has.label(label.toLowerCase()), `${path}.labels[${i}]`, `label has the name "${label}"`);
      }
      for (const [i, subscriber] of issue.subscribers.entries()) findPerson(subscriber, `${path}.subscribers[${i}]`);
      for (const comment of issue.comments.flatMap((one) => [one, ...one.replies])) {
        findPerson(comment.as, `${comment.path}.as`);
        if (comment.resolved !== undefined) findPerson(comment.resolved, `${comment.path}.resolved`);
      }
    }
  }
  faults.push(...parentFaults(teams.flatMap(({ issues }) => issues)));
  for (const { path, team, resourceTypes } of webhooks) {
    if (team !== undefined) findTeam(team, `${path}.team`);
    for (const [i, type] of resourceTypes.entries()) {
      if (!WEBHOOK_RESOURCE_TYPES.includes(type)) faults.push(`${path}.resource_types[${i}]: no such type "${type}"`);
    }
  }
  for (const { path, resourceTypes, installed } of apps) {
    if (installed?.as !== undefined) findPerson(installed.as, `${path}.installed.as`);
    for (const [i, type] of resourceTypes.entries()) {
      if (!WEBHOOK_RESOURCE_TYPES.includes(type))
        faults.push(`${path}.webhook_resource_types[${i}]: no such type "${type}"`);
    }
  }
  return faults;
}

interface NumberedCycle extends Span {
  readonly number: number;
  readonly path: string;
}

/** What issues of a team may name: states, labels and cycles, those that the document adds among them. */
function namesOfTeam({ key, states, labels, things }: SeedTeam, names: TrackerNames, shared: ReadonlySet<string>) {
  const id = names.teams.get(key) ?? '';
  const there =
    id === '' ? WORKFLOW_STATES.map(([name]) => name) : (names.states.get(id) ?? []).map(({ name }) => name);
  const own = new Set(labels.map(({ name }) => name.toLowerCase()));
  let last = names.lastCycle(id);
  const cycles = things
    .filter(({ entity }) => entity === 'Cycle')
    .map(({ values, path }): NumberedCycle => {
      const number = (values['number'] as number | undefined) ?? last + 1;
      last = Math.max(last, number);
      return { number, startsAt: values['startsAt'] as Date, endsAt: values['endsAt'] as Date, path };
    });
  const numbers = cycles.map(({ number }) => number);
  return {
    states: new Set([...there, ...states.map(({ name }) => name)].map((name) => name.toLowerCase())),
    label: (name: string): boolean => own.has(name) || shared.has(name) || names.label(id, name) !== undefined,
    cycles: { has: (number: number): boolean => numbers.includes(number) || names.cycles.has(`${id}/${number}`) },
    faults: cycleFaults(cycles, id, names),
  };
}

/**
 * Cycles of a team that lie over another one, of the document or there (docs/reference/tracker.md#cycle). One with the
 * number of one that is there is that one.
 */
function cycleFaults(cycles: readonly NumberedCycle[], id: string, names: TrackerNames): string[] {
  // a time that cannot be read has a fault of its own
  const added = cycles.filter(({ number, startsAt }) => !names.cycles.has(`${id}/${number}`) && +startsAt > 0);
  const spans: (Span & { path?: string })[] = [...(names.spans.get(id) ?? []), ...added];
  const paths = new Set<string>();
  let longest: (typeof spans)[number] | undefined;
  for (const span of spans.toSorted((a, b) => +a.startsAt - +b.startsAt)) {
    const path = span.path ?? longest?.path;
    if (longest && longest.endsAt > span.startsAt && path !== undefined) paths.add(path);
    if (!longest || longest.endsAt < span.endsAt) longest = span;
  }
  return [...paths].map((path) => `${path}.starts_at: the cycle overlaps with another one of its team`);
}

/** Parents that no issue is, and issues that are above themselves. */
function parentFaults(issues: readonly SeedIssue[]): string[] {
  const parents = new Map(issues.flatMap(({ ref, parent }) => (ref === undefined ? [] : [[ref, parent] as const])));
  const good = new Set<string>();
  return issues.flatMap(({ path, ref, parent }) => {
    if (parent === undefined) return [];
    if (!parents.has(parent)) return [`${path}.parent: no issue has the ref "${parent}"`];
    const seen = new Set(ref === undefined ? [] : [ref]);
    let above: string | undefined = parent;
    while (above !== undefined && !good.has(above) && !seen.has(above)) {
      seen.add(above);
      above = parents.get(above);
    }
    if (above !== undefined && seen.has(above)) return [`${path}.parent: must not be an issue below it`];
    for (const one of seen) good.add(one);
    return [];
  });
}
