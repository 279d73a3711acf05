import type { Type } from '@nestjs/common';
import { InputType } from '@nestjs/graphql';
import { ValidateNested } from 'class-validator';

/**
 * What null means in an input (docs/reference/tracker.md#inputs): in a create it is absent, in an update it clears,
 * and a field that always has a value refuses it (`@NotNull()`).
 */
export type InputKind = 'create' | 'update';

interface InputRules {
  kind: InputKind;
  type: Type<object>;
}

type Normalizer = (value: unknown) => unknown;

const inputsByName = new Map<string, InputRules>();
const normalizers = new WeakMap<object, Map<string, Normalizer[]>>();
const nestedInputs = new WeakMap<object, Map<string, Type<object>>>();
const clocks = new WeakMap<object, Date>();

function inputOf(kind: InputKind): ClassDecorator {
  return (target) => {
    InputType()(target);
    inherit(normalizers, target.prototype as object);
    inherit(nestedInputs, target.prototype as object);
    inputsByName.set(target.name, { kind, type: target as unknown as Type<object> });
  };
}

/** What the class says that an input extends. */
function inherit<V>(rules: WeakMap<object, Map<string, V>>, target: object): void {
  const above = rules.get(Object.getPrototypeOf(target) as object);
  if (above) rules.set(target, new Map([...above, ...(rules.get(target) ?? [])]));
}

/** An input that makes something. The class name is the wire name. */
export const CreateInput = (): ClassDecorator => inputOf('create');

/** An input that changes something: absent fields stay untouched. */
export const UpdateInput = (): ClassDecorator => inputOf('update');

/** The class with the rules of the input type of this name; filters and sort keys have none. */
export function inputClass(name: string): InputRules | undefined {
  return inputsByName.get(name);
}

/** Rewrites a property's value before it is validated. Runs for null too, never for an absent property. */
export function Normalize(normalize: Normalizer): PropertyDecorator {
  return (target, property) => {
    const ofType = normalizers.get(target) ?? new Map<string, Normalizer[]>();
    normalizers.set(target, ofType.set(String(property), [...(ofType.get(String(property)) ?? []), normalize]));
  };
}

export function normalizersOf(type: Type<object>): ReadonlyMap<string, Normalizer[]> {
  return normalizers.get(type.prototype as object) ?? new Map();
}

/** An input within an input, or a list of them, each with rules of its own. */
export function NestedInputs(type: Type<object>): PropertyDecorator {
  return (target, property) => {
    ValidateNested()(target, property);
    nestedInputs.set(target, new Map(nestedInputs.get(target)).set(String(property), type));
  };
}

export function nestedInputOf(type: Type<object>, property: string): Type<object> | undefined {
  return nestedInputs.get(type.prototype as object)?.get(property);
}

/** The time at which an input is validated, for rules like "in the past". */
export function setJudgedAt(input: object, now: Date): void {
  clocks.set(input, now);
}

export function judgedAt(input: object): Date {
  return clocks.get(input) ?? new Date();
}
