import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../kernel/config/package-root.js';
import { nearest } from '../../kernel/config/unknown-settings.js';
import { readYaml } from '../../kernel/text/yaml.js';
import { OperatorError } from '../fatal-error.js';

type Json = Record<string, unknown>;

/** One step of a solution. Without `as` it is the agent's: the default app's, and in the tracker the admin's. */
export interface Step {
  /** A person. */
  readonly as?: string;
  /** A method of the Web API. */
  readonly call?: string;
  readonly args?: Json;
  /** A document for the tracker. */
  readonly graphql?: string;
  readonly variables?: Json;
  /** The clock, in seconds. */
  readonly advance?: number;
  /** The code with which it must be refused. */
  readonly refused?: string;
}

/** A task for an agent, with what tells whether it was done (docs/EVALUATION.md#reference-tasks). */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly tools: readonly ('chat' | 'issues')[];
  /** A file of `tasks/worlds`. */
  readonly world: string;
  /** What this task adds to it. */
  readonly seed?: Json;
  readonly script?: readonly Json[];
  /** As `POST …/faults` takes them. */
  readonly faults?: readonly Json[];
  readonly expect: readonly Json[];
  readonly nothing_else: readonly string[];
  /** A solution, and something like one that is none. */
  readonly gold: readonly Step[];
  readonly wrong?: readonly Step[];
}

const FOLDER = join(PACKAGE_ROOT, 'tasks');

const read = (...path: string[]): unknown => readYaml(readFileSync(join(FOLDER, ...path), 'utf8'));

/** In the order of their ids. */
export const allTasks = (): Task[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => read(file) as Task);

/** @throws OperatorError with the nearest id */
export function taskOf(id: string): Task {
  const tasks = allTasks();
  const task = tasks.find((one) => one.id === id);
  if (task) return task;
  const ids = tasks.map((one) => one.id);
  const near = nearest(id, ids) ?? ids.find((one) => one.startsWith(id));
  throw new OperatorError(`no task has the id ${id}${near === undefined ? '' : ` (${near}?)`}`);
}

/** The document of a world. */
export const worldOf = ({ world }: Task): Json => read('worlds', `${world}.yaml`) as Json;
