import { useMemo } from 'react';
import { useTracker } from './live.js';
import {
  ask,
  type Cycle,
  type Label,
  type Named,
  type Nodes,
  type Person,
  type State,
  type Team,
} from './tracker-api.js';

/** What every screen refers to. */
export interface Facts {
  teams: Team[];
  people: ReadonlyMap<string, Person>;
  projects: ReadonlyMap<string, Named>;
}

const FACTS = `query { teams(first: 250) { nodes { id key name } }
  users(first: 250, includeDisabled: true) { nodes { id name displayName active app admin isMe isAssignable isMentionable } }
  projects(first: 250) { nodes { id name } } }`;

const byId = <T extends { id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

export const useFacts = (): Facts | undefined =>
  useTracker('facts', [], async () => {
    const found = await ask<{ teams: Nodes<Team>; users: Nodes<Person>; projects: Nodes<Named> }>(FACTS);
    return {
      teams: found.teams.nodes.toSorted((a, b) => a.key.localeCompare(b.key)),
      people: byId(found.users.nodes),
      projects: byId(found.projects.nodes),
    };
  }).data;

/** A team with what its issues refer to. */
export interface TeamFacts extends Facts {
  team: Team;
  states: State[];
  labels: ReadonlyMap<string, Label>;
  cycles: ReadonlyMap<string, Cycle>;
}

interface OfTeam {
  teams: Nodes<Team & { states: Nodes<State>; cycles: Nodes<Cycle> }>;
  issueLabels: Nodes<Label & { isGroup: boolean }>;
}

const OF_TEAM = `query ($key: String!) {
  teams(first: 1, filter: { key: { eq: $key } }) { nodes { id key name
    states(first: 100) { nodes { id name type color position } }
    cycles(first: 100) { nodes { id number name startsAt endsAt progress isActive isPast } } } }
  issueLabels(first: 250, filter: { or: [{ team: { null: true } }, { team: { key: { eq: $key } } }] }) {
    nodes { id name color isGroup } } }`;

/** Undefined while it is loaded; null: there is no such team. */
export function useTeamFacts(name: string): TeamFacts | null | undefined {
  const key = name.toUpperCase();
  const facts = useFacts();
  const own = useTracker('facts', [key], () => ask<OfTeam>(OF_TEAM, { key })).data;
  return useMemo(() => {
    if (!facts || !own) return undefined;
    const team = own.teams.nodes.find((one) => one.key === key);
    if (!team) return null;
    return {
      ...facts,
      team,
      states: team.states.nodes.toSorted(inOrder),
      labels: byId(own.issueLabels.nodes.filter(({ isGroup }) => !isGroup)),
      cycles: byId(team.cycles.nodes),
    };
  }, [facts, own, key]);
}

/** As work goes on, from left to right. */
export const STATE_TYPES = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'];

const inOrder = (a: State, b: State): number =>
  STATE_TYPES.indexOf(a.type) - STATE_TYPES.indexOf(b.type) || a.position - b.position;

/** Who can be made the one who works on an issue: people, and the agents of apps. */
export const assignees = ({ people }: Facts): Person[] => sorted(people, (one) => one.active && !one.app);
export const agents = ({ people }: Facts): Person[] =>
  sorted(people, (one) => one.active && one.app && one.isAssignable);
export const mentionables = ({ people }: Facts): Person[] =>
  sorted(people, (one) => one.active && (!one.app || one.isMentionable));

const sorted = (people: Facts['people'], fits: (one: Person) => boolean): Person[] =>
  [...people.values()].filter(fits).toSorted((a, b) => a.name.localeCompare(b.name));
