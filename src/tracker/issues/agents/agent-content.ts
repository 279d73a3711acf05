import { createUnionType, Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { isHttpUrl } from '../../graphql/rules.js';
import { invalidArgument } from '../../values/errors.js';
import { CONTENT_KEYS, PASSING } from './content-keys.js';

/** What an activity says (docs/reference/tracker-agents.md#activities). */

export enum AgentActivityType {
  action = 'action',
  elicitation = 'elicitation',
  error = 'error',
  prompt = 'prompt',
  response = 'response',
  thought = 'thought',
}
registerEnumType(AgentActivityType, { name: 'AgentActivityType' });

export enum AgentActivitySignal {
  auth = 'auth',
  continue = 'continue',
  select = 'select',
  stop = 'stop',
}
registerEnumType(AgentActivitySignal, { name: 'AgentActivitySignal' });

@ObjectType()
export class AgentActivityActionContent {
  @Field() action!: string;
  @Field() parameter!: string;
  @OptionalField(() => String) result?: string | null;
  @Field(() => AgentActivityType) type!: AgentActivityType;
}

@ObjectType({ isAbstract: true })
abstract class SaidContent {
  @Field() body!: string;
  @Field(() => AgentActivityType) type!: AgentActivityType;
}

@ObjectType()
export class AgentActivityElicitationContent extends SaidContent {}

@ObjectType()
export class AgentActivityErrorContent extends SaidContent {
  @OptionalField(() => String) reasonCode?: string | null;
}

@ObjectType()
export class AgentActivityPromptContent extends SaidContent {
  @OptionalField(() => String) title?: string | null;
}

@ObjectType()
export class AgentActivityResponseContent extends SaidContent {}

@ObjectType()
export class AgentActivityThoughtContent extends SaidContent {}

const classes = {
  action: AgentActivityActionContent,
  elicitation: AgentActivityElicitationContent,
  error: AgentActivityErrorContent,
  prompt: AgentActivityPromptContent,
  response: AgentActivityResponseContent,
  thought: AgentActivityThoughtContent,
} as const;

export const AgentActivityContent = createUnionType({
  name: 'AgentActivityContent',
  types: () => Object.values(classes),
  resolveType: ({ type }: { type: AgentActivityType }) => classes[type],
});

const keys: Readonly<Record<AgentActivityType, { needs: readonly string[]; may: readonly string[] }>> = CONTENT_KEYS;
const BODY_MAX = 250_000;

export interface Content {
  readonly [key: string]: unknown;
  readonly type: AgentActivityType;
}

/** The content of an agent's activity. @throws invalidArgument */
export function readContent(content: Readonly<Record<string, unknown>>): Content {
  const { type, ...others } = content;
  const known = typeof type === 'string' && type !== 'prompt' && Object.hasOwn(keys, type);
  if (!known)
    refuse('content.type', 'must be one of the following values: thought, action, elicitation, response, error');
  const { needs, may } = keys[type as AgentActivityType];
  for (const key of Object.keys(others)) {
    if (!needs.includes(key) && !may.includes(key)) refuse(`content.${key}`, 'should not exist');
  }
  for (const key of [...needs, ...may]) {
    const value = others[key];
    if ((value === undefined || value === null) && may.includes(key)) continue;
    if (typeof value !== 'string' || value.trim() === '') refuse(`content.${key}`, 'should not be empty');
    if (value.length > BODY_MAX) refuse(`content.${key}`, `must be shorter than or equal to ${BODY_MAX} characters`);
  }
  return { type: type as AgentActivityType, ...others };
}

export const isPassing = (type: AgentActivityType): boolean => PASSING.includes(type);

/** @throws invalidArgument where a signal does not go with the type, or its metadata not with the signal */
export function checkSignal(
  type: AgentActivityType,
  signal: AgentActivitySignal | undefined,
  metadata: Readonly<Record<string, unknown>> | undefined,
): void {
  if (signal === undefined) {
    if (metadata !== undefined) refuse('signalMetadata', 'should not exist');
    return;
  }
  const fits = type === AgentActivityType.elicitation && (signal === 'auth' || signal === 'select');
  if (!fits) refuse('signal', `does not go with the type ${type}`);
  const isGood = signal === 'auth' ? isAuth(metadata) : isSelect(metadata);
  if (!isGood) refuse('signalMetadata', `must fit the signal ${signal}`);
}

const isAuth = (given: Readonly<Record<string, unknown>> = {}): boolean =>
  typeof given['url'] === 'string' &&
  isHttpUrl(given['url']) &&
  ['userId', 'providerName'].every((key) => given[key] === undefined || typeof given[key] === 'string');

const isSelect = ({ options }: Readonly<Record<string, unknown>> = {}): boolean =>
  Array.isArray(options) &&
  options.length > 0 &&
  options.every(
    (option: unknown) =>
      typeof option === 'object' &&
      option !== null &&
      typeof (option as { value?: unknown }).value === 'string' &&
      ['undefined', 'string'].includes(typeof (option as { label?: unknown }).label),
  );

/** The values that a `select` offers. */
export const offeredBy = (metadata: Readonly<Record<string, unknown>> | null): string[] => {
  const options = metadata?.['options'];
  return Array.isArray(options) ? options.map((option: { value: string }) => option.value) : [];
};

function refuse(property: string, what: string): never {
  throw invalidArgument(property, 'isValid', `${property} ${what}`);
}
