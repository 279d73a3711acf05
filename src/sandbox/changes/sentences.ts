import { isObject, type Matcher, type Test } from '../../kernel/matchers/matcher.js';
import { bare, sourceOf } from '../../kernel/matchers/matches.js';
import type { CallsExpected, Expectation, RowsExpected } from './expectation.js';

/** The words for operators on a field. */
const WORDS: Readonly<Partial<Record<string, string>>> = {
  $eq: 'is',
  $ne: 'is not',
  $gt: 'is more than',
  $gte: 'is at least',
  $lt: 'is less than',
  $lte: 'is at most',
  $in: 'is one of',
  $nin: 'is none of',
  $contains: 'contains',
  $startsWith: 'starts with',
  $endsWith: 'ends with',
  $matches: 'matches',
  $type: 'is of type',
  $size: 'has the size',
};

/** The words for operators on a count. */
const AMOUNTS: Readonly<Partial<Record<string, string>>> = {
  $eq: 'exactly',
  $ne: 'not',
  $gt: 'more than',
  $gte: 'at least',
  $lt: 'fewer than',
  $lte: 'at most',
};

/** What was expected and what was found, as a sentence for a test report. */
export const sentence = (expectation: RowsExpected | CallsExpected, found: number): string =>
  `expected ${phrase(expectation)}, found ${found}`;

/** What is expected: `at least 1 message in #war-room whose text contains "done"` */
export function phrase(expectation: Expectation): string {
  switch (expectation.verb) {
    case 'not':
      return `not ${expectation.parts.map(phrase).join()}`;
    case 'any':
    case 'all':
      return expectation.parts.map(phrase).join(expectation.verb === 'any' ? ' or ' : ' and ');
    case 'order':
      return `${expectation.steps.map(callsOf).join(', then ')}`;
    case 'state':
      return `the state ${expectation.hash}`;
    case 'unchanged':
      return `no change of ${oneOf(expectation.what)}${describe(expectation.where)}`;
    default: {
      const { verb, what, where, count } = expectation;
      const { amount, isOne } = amountOf(count);
      if (verb === 'called') return `${amount} ${isOne ? 'call' : 'calls'} of ${what}${callersOf(expectation)}`;
      const things = thingsOf(what, isOne);
      return `${amount} ${verb === 'added' || verb === 'exists' ? things : `${verb} ${things}`}${describe(where)}`;
    }
  }
}

const callsOf = (step: CallsExpected): string => `a call of ${step.what}${callersOf(step)}`;
const callersOf = ({ by, where }: CallsExpected): string => `${by === null ? '' : ` by ${by}`}${describe(where)}`;

/** @param what the kind of which nothing else was to change */
export const nothingElse = (what: string, found: number): string =>
  `expected no other change of ${oneOf(what)}, found ${found}`;

/** `an issue`, `a user` */
function oneOf(what: string): string {
  const words = what.replaceAll('_', ' ');
  return `${/^[aeio]/.test(words) ? 'an' : 'a'} ${words}`;
}

function thingsOf(what: string, isOne: boolean): string {
  const words = what.replaceAll('_', ' ');
  if (isOne) return words;
  if (words.endsWith('s')) return `${words}es`;
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`;
}

function amountOf(count: Matcher | null): { amount: string; isOne: boolean } {
  if (count === null) return { amount: 'at least 1', isOne: true };
  if (count.kind !== 'operators') return { amount: String(sourceOf(count)), isOne: sourceOf(count) === 1 };
  const parts = count.tests.map(({ operator, operand }) => {
    const words = AMOUNTS[operator];
    return words === undefined ? JSON.stringify({ [operator]: operand }) : `${words} ${String(operand)}`;
  });
  return { amount: parts.join(' and '), isOne: count.tests.length === 1 && count.tests[0]?.operand === 1 };
}

/** ` in #war-room whose text contains "done"` */
function describe(where: Matcher | null): string {
  if (where?.kind !== 'object') return where === null ? '' : ` that match ${JSON.stringify(sourceOf(where))}`;
  let places = '';
  const clauses: string[] = [];
  for (const [key, field] of where.fields) {
    const value = field.kind === 'value' ? field.value : undefined;
    if (key === 'channel' && typeof value === 'string') places += ` in ${channel(value)}`;
    else if (key === 'user' && typeof value === 'string') places += ` by ${bare(value)}`;
    else clauses.push(...clausesOf(key, field));
  }
  return `${places}${clauses.length > 0 ? ` ${clauses.join(' and ')}` : ''}`;
}

const channel = (value: string): string => (/^([CDG]0[0-9A-Z]{9}|#.*)$/.test(value) ? value : `#${value}`);

function clausesOf(path: string, matcher: Matcher): string[] {
  if (matcher.kind === 'object') {
    return matcher.fields.flatMap(([key, field]) => clausesOf(`${path}.${key}`, field));
  }
  if (matcher.kind === 'operators') return matcher.tests.map((test) => `whose ${path} ${testOf(test)}`);
  return [`whose ${path} is ${JSON.stringify(sourceOf(matcher))}`];
}

function testOf({ operator, operand }: Test): string {
  if (operator === '$exists') return operand === true ? 'exists' : 'does not exist';
  if (operator === '$not' && isObject(operand)) {
    const [[name, value] = ['', undefined]] = Object.entries(operand);
    const words = WORDS[name];
    if (words !== undefined && Object.keys(operand).length === 1) {
      return `does not match: ${words} ${JSON.stringify(value)}`;
    }
  }
  const words = WORDS[operator];
  return words === undefined
    ? `matches ${JSON.stringify({ [operator]: operand })}`
    : `${words} ${JSON.stringify(operand)}`;
}
