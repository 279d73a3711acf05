import type { Declared } from '../../tracker/entity/declare.js';
import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';
import { isUuid } from '../../tracker/values/uuid.js';
import type { FindNamed, ThingsWithin } from './things-within.js';

/** What the JSON of templates and views names, by the word that a document has for it: `<label:ENG/Bug>`. */
const WORDS = {
  user: 'User',
  team: 'Team',
  state: 'WorkflowState',
  label: 'IssueLabel',
  cycle: 'Cycle',
  project: 'Project',
  milestone: 'ProjectMilestone',
  project_label: 'ProjectLabel',
  project_status: 'ProjectStatus',
  issue: 'Issue',
} as const satisfies Record<string, EntityKey>;

export type Word = keyof typeof WORDS;

/** What is within a team or a project has that one's name before its own. */
const WITHIN: Partial<Record<Word, 'team' | 'project'>> = {
  state: 'team',
  label: 'team',
  cycle: 'team',
  milestone: 'project',
};

const NAMED = new RegExp(`^<(${Object.keys(WORDS).join('|')}):(.+)>$`, 's');

/** Those that JSON names first: what has it may then be of any other kind. */
export const namedFirst = (entities: readonly Declared[]): Declared[] => {
  const named = new Set<EntityKey>(Object.values(WORDS));
  return entities.toSorted((a, b) => Number(named.has(b.name)) - Number(named.has(a.name)));
};

export const wordFor = (word: Word, ...names: readonly (string | number)[]): string => `<${word}:${names.join('/')}>`;

/** JSON of an export with names in the place of ids. An id that the document holds nothing of stays. */
export const withNamesFor = (value: unknown, nameFor: (id: string) => string | undefined): unknown =>
  eachString(value, '', (text) => (isUuid(text) ? (nameFor(text.toLowerCase()) ?? text) : text));

/** JSON of a document with ids in the place of names. What names nothing is added to `faults`. */
export const withIdsFor = (value: unknown, path: string, find: FindNamed, faults: string[]): unknown =>
  eachString(value, path, (text, at) => {
    const [, word, name = ''] = NAMED.exec(text) ?? [];
    if (word === undefined) return text;
    const id = idOf(word as Word, name, find);
    if (id === undefined) faults.push(`${at}: no ${word} has the name "${name}"`);
    return id ?? text;
  });

function idOf(word: Word, name: string, find: FindNamed): string | undefined {
  const entity = WORDS[word];
  const above = WITHIN[word];
  for (let at = name.indexOf('/'); above && at !== -1; at = name.indexOf('/', at + 1)) {
    const id = find(WORDS[above], name.slice(0, at), NOWHERE);
    if (id === undefined) continue;
    const within = { things: [], ...(above === 'team' ? { teamId: id } : { parentId: id }) };
    const found = find(entity, name.slice(at + 1), within);
    if (found !== undefined) return found;
  }
  return above === undefined || word === 'label' ? find(entity, name, NOWHERE) : undefined;
}

const NOWHERE: ThingsWithin = { things: [] };

function eachString(value: unknown, path: string, change: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((one, i) => eachString(one, `${path}[${i}]`, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, eachString(one, `${path}.${key}`, change)]),
  );
}

const OF_TEAM = /<(?:state|label|cycle):([A-Za-z0-9]+)\//g;

/** The keys of teams whose things JSON of a document names, perhaps with others. */
export const teamsNamedIn = (things: readonly SeedThing[]): string[] =>
  things
    .flatMap(({ values }) => Object.values(values).filter((value) => typeof value === 'object' && value !== null))
    .flatMap((value) => [...JSON.stringify(value).matchAll(OF_TEAM)].map(([, key = '']) => key.toUpperCase()));
