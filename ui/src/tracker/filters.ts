import { agents, assignees, type TeamFacts } from './facts.js';
import type { Option } from './picker.js';
import { PRIORITIES } from './words.js';

/** What issues can be filtered by; the address names them so, with names as values. */
export const FIELDS = {
  state: 'Status',
  assignee: 'Assignee',
  delegate: 'Agent',
  label: 'Label',
  priority: 'Priority',
  project: 'Project',
  cycle: 'Cycle',
} as const;

export type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

/** Stands for "has none". */
const NONE = 'none';

export interface Filters {
  readonly values: Readonly<Record<Field, readonly string[]>>;
  readonly text: string;
}

export function readFilters(search: string): Filters {
  const query = new URLSearchParams(search);
  const values = Object.fromEntries(NAMES.map((name) => [name, query.getAll(name)]));
  return { values: values as Record<Field, string[]>, text: query.get('text') ?? '' };
}

/** The address with one value of a field turned on or off. */
export function toggled(search: string, field: Field, value: string): string {
  const query = new URLSearchParams(search);
  const values = query.getAll(field);
  query.delete(field);
  for (const one of values) if (one !== value) query.append(field, one);
  if (!values.includes(value)) query.append(field, value);
  return query.toString();
}

export function withParameter(search: string, name: string, value: string): string {
  const query = new URLSearchParams(search);
  if (value === '') query.delete(name);
  else query.set(name, value);
  return query.toString();
}

export const chipsOf = ({ values }: Filters): { field: Field; value: string }[] =>
  NAMES.flatMap((field) => values[field].map((value) => ({ field, value })));

/** What a field can be filtered by in a team. */
export function optionsOf(field: Field, facts: TeamFacts): Option[] {
  const named = (names: readonly string[]): Option[] => names.map((name) => ({ id: name, words: name }));
  const none = (words: string): Option => ({ id: NONE, words });
  switch (field) {
    case 'state':
      return named(facts.states.map(({ name }) => name));
    case 'assignee':
      return [none('Nobody'), ...assignees(facts).map(({ displayName, name }) => ({ id: displayName, words: name }))];
    case 'delegate':
      return [none('No agent'), ...agents(facts).map(({ displayName, name }) => ({ id: displayName, words: name }))];
    case 'label':
      return named([...facts.labels.values()].map(({ name }) => name));
    case 'priority':
      return named(PRIORITIES);
    case 'project':
      return [none('No project'), ...named([...facts.projects.values()].map(({ name }) => name))];
    case 'cycle':
      return [
        none('No cycle'),
        ...[...facts.cycles.values()].map(({ number, name }) => ({
          id: String(number),
          words: name ?? `Cycle ${number}`,
        })),
      ];
  }
}

/** How the chip of a value reads. */
export const wordsOf = (field: Field, value: string, facts: TeamFacts): string =>
  optionsOf(field, facts).find(({ id }) => id === value)?.words ?? value;

/** The same as a filter of the tracker. */
export function issueFilter(teamKey: string, { values, text }: Filters): object {
  const all: object[] = [{ team: { key: { eq: teamKey.toUpperCase() } } }];
  const add = (field: Field, of: (names: string[]) => object, none?: object): void => {
    const names = values[field].filter((name) => none === undefined || name !== NONE);
    const parts = [
      ...(names.length > 0 ? [of(names)] : []),
      ...(none !== undefined && values[field].includes(NONE) ? [none] : []),
    ];
    if (parts.length > 0) all.push(parts.length === 1 ? (parts[0] as object) : { or: parts });
  };
  const byName = (names: string[]): object => ({ displayName: { in: names } });
  add('state', (names) => ({ state: { name: { in: names } } }));
  add('assignee', (names) => ({ assignee: byName(names) }), { assignee: { null: true } });
  add('delegate', (names) => ({ delegate: byName(names) }), { delegate: { null: true } });
  add('label', (names) => ({ labels: { some: { name: { in: names } } } }));
  add('priority', (names) => ({
    priority: { in: names.map((name) => (PRIORITIES as readonly string[]).indexOf(name)) },
  }));
  add('project', (names) => ({ project: { name: { in: names } } }), { project: { null: true } });
  add('cycle', (names) => ({ cycle: { number: { in: names.map(Number) } } }), { cycle: { null: true } });
  if (text !== '') {
    const number = /^(?:[A-Za-z]+-)?(\d+)$/.exec(text)?.[1];
    all.push({
      or: [
        { title: { containsIgnoreCase: text } },
        { description: { containsIgnoreCase: text } },
        ...(number === undefined ? [] : [{ number: { eq: Number(number) } }]),
      ],
    });
  }
  return { and: all };
}
