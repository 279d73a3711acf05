import { codePointLength, isJsonObject, isLongerThan } from '../text.js';

/* The language in which the rules of Block Kit are declared: each rule checks one value and says what is wrong with it. */

type Json = Record<string, unknown>;

/** A limit or a choice that a value breaks, where a machine can make something of it. */
export interface Constraint {
  readonly type: 'enum' | 'max_length' | 'min_length' | 'max_items' | 'min_items';
  readonly expected: string | readonly string[];
  readonly got: string;
}

export interface BlockFault {
  readonly code: 'failed_constraint' | 'missing_required_field';
  readonly reason: string;
  /** JSON pointer of the faulty value; for a missing field of its parent. */
  readonly pointer: string;
  readonly constraint?: Constraint | undefined;
}

/** Where blocks are shown. */
export type Surface = 'message' | 'modal' | 'home';

const ENOUGH = Symbol('enough faults');

/** One check of a message or a view: its faults so far, and what must be unique or counted in all of it. */
export class Walk {
  readonly faults: BlockFault[] = [];
  readonly blockIds = new Set<unknown>();
  /** Of the block that is being checked. */
  actionIds = new Set<unknown>();
  /** Characters of all `markdown` blocks. */
  markdown = 0;
  charts = 0;
  hasFocus = false;

  constructor(
    readonly surface: Surface,
    /** The walk ends with this many faults. */
    private readonly most = 1,
  ) {}

  fault(reason: string, pointer: string, constraint?: Constraint): void {
    this.add({ code: 'failed_constraint', reason, pointer, constraint });
  }

  missing(field: string, pointer: string): void {
    this.add({ code: 'missing_required_field', reason: `missing required field: ${field}`, pointer });
  }

  private add(fault: BlockFault): void {
    this.faults.push(fault);
    // oxlint-disable-next-line no-throw-literal -- never leaves `check`, and needs no stack
    if (this.faults.length >= this.most) throw ENOUGH;
  }

  /** The faults of a value, in the order of the rules. */
  check(rule: Rule, value: unknown, at: string): readonly BlockFault[] {
    try {
      rule(value, at, this);
    } catch (thrown) {
      if (thrown !== ENOUGH) throw thrown;
    }
    return this.faults;
  }
}

export type Rule = (value: unknown, at: string, walk: Walk) => void;
/** A condition over several fields of an object. */
export type Condition = (object: Json, at: string, walk: Walk) => void;

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** A caller's value inside an error line: short, and never a whole structure. */
const printable = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 50) : typeof value);

const enumOf = (expected: readonly string[], got: unknown): Constraint => ({
  type: 'enum',
  expected,
  got: printable(got),
});

/** A string of `min` to `max` characters. */
export const str =
  (max = Infinity, min = 1): Rule =>
  (value, at, walk) => {
    if (typeof value !== 'string') return walk.fault('must be a string', at);
    if (min > 0 && value === '') {
      walk.fault('must be more than 0 characters', at, { type: 'min_length', expected: String(min), got: '0' });
    } else if (max !== Infinity && isLongerThan(value, max)) {
      const got = String(codePointLength(value));
      walk.fault(`must be less than ${max + 1} characters`, at, { type: 'max_length', expected: String(max), got });
    }
  };

/** A string of this form. @param what completes "must be" */
export const fits =
  (form: RegExp | ((text: string) => boolean), what: string): Rule =>
  (value, at, walk) => {
    const isFit = typeof value === 'string' && (form instanceof RegExp ? form.test(value) : form(value));
    if (!isFit) walk.fault(`must be ${what}`, at);
  };

export const word =
  (...words: readonly string[]): Rule =>
  (value, at, walk) => {
    if (!words.includes(value as string)) {
      walk.fault(`must be one of ${words.join(', ')}`, at, enumOf(words, value));
    }
  };

export const flag: Rule = (value, at, walk) => {
  if (typeof value !== 'boolean') walk.fault('must be a boolean', at);
};

export const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER): Rule =>
  (value, at, walk) => {
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
    walk.fault(
      max === Number.MAX_SAFE_INTEGER
        ? `must be a whole number from ${min}`
        : `must be a whole number from ${min} to ${max}`,
      at,
    );
  };

export const number: Rule = (value, at, walk) => {
  if (typeof value !== 'number') walk.fault('must be a number', at);
};

export const positive: Rule = (value, at, walk) => {
  if (typeof value !== 'number' || value <= 0) walk.fault('must be a number over 0', at);
};

/** Whether a list has `min` to `max` items. */
export function checkCount(
  items: readonly unknown[],
  [min, max]: readonly [number, number],
  at: string,
  walk: Walk,
): void {
  const got = String(items.length);
  if (items.length < min) {
    walk.fault(`no less than ${min} items allowed`, at, { type: 'min_items', expected: String(min), got });
  } else if (items.length > max) {
    walk.fault(`no more than ${max} items allowed`, at, { type: 'max_items', expected: String(max), got });
  }
}

export const list =
  (item: Rule, min = 0, max = Infinity): Rule =>
  (value, at, walk) => {
    if (!Array.isArray(value)) return walk.fault('must be an array', at);
    checkCount(value, [min, max], at, walk);
    // what is over the limit needs no faults of its own
    for (const [index, one] of value.slice(0, max).entries()) item(one, `${at}/${index}`, walk);
  };

/** A field that may not be absent. */
export const required = (rule: Rule): Rule & { readonly isRequired: true } =>
  Object.assign((value: unknown, at: string, walk: Walk) => rule(value, at, walk), { isRequired: true as const });

/** An object with these fields, in this order; those that no rule names are kept as sent. */
export const fields =
  (rules: Readonly<Record<string, Rule>>, ...conditions: readonly Condition[]): Rule =>
  (value, at, walk) => {
    if (!isJsonObject(value)) return walk.fault('must be an object', at);
    for (const [name, rule] of Object.entries(rules)) {
      if (isPresent(value[name])) rule(value[name], `${at}/${name}`, walk);
      else if ('isRequired' in rule) walk.missing(name, at);
    }
    for (const condition of conditions) condition(value, at, walk);
  };

/** At least one of these fields. */
export const someOf =
  (...names: readonly [string, ...string[]]): Condition =>
  (object, at, walk) => {
    if (!names.some((name) => isPresent(object[name]))) walk.missing(names[0], at);
  };

/** Exactly one of these fields. */
export const oneOf =
  (...names: readonly [string, ...string[]]): Condition =>
  (object, at, walk) => {
    const there = names.filter((name) => isPresent(object[name]));
    if (there.length === 0) walk.missing(names[0], at);
    else if (there.length > 1) walk.fault(`only one of ${names.join(', ')} allowed`, at);
  };

/** An object whose `type` names its rule in a table; `allowed` are those of them that may stand here. */
export const typed = (table: () => Readonly<Record<string, Rule>>, allowed?: readonly string[]): Rule => {
  return (value, at, walk) => {
    if (!isJsonObject(value)) return walk.fault('must be an object', at);
    const rules = table();
    const names = allowed ?? Object.keys(rules);
    const { type } = value;
    if (!isPresent(type)) return walk.missing('type', at);
    if (typeof type !== 'string' || !names.includes(type) || !Object.hasOwn(rules, type)) {
      return walk.fault(`unsupported type: ${printable(type)}`, `${at}/type`, enumOf(names, type));
    }
    (rules[type] as Rule)(value, at, walk);
  };
};

/** The same, where the only type may also be left out. */
export const typedOr =
  (type: string, table: () => Readonly<Record<string, Rule>>): Rule =>
  (value, at, walk) => {
    if (isJsonObject(value) && !isPresent(value['type'])) (table()[type] as Rule)(value, at, walk);
    else typed(table, [type])(value, at, walk);
  };

/** A field that must be unique in a set of the walk. */
export const uniqueIn =
  (name: string, seen: (walk: Walk) => Set<unknown>): Condition =>
  (object, at, walk) => {
    const id = object[name];
    if (!isPresent(id) || id === '') return;
    if (seen(walk).has(id)) walk.fault(`${name} must be unique`, `${at}/${name}`);
    seen(walk).add(id);
  };
