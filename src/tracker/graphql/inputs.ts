import { applyDecorators, type Type } from '@nestjs/common';
import { InputType } from '@nestjs/graphql';
import { ValidateNested } from 'class-validator';
import { PartOf } from '../../kernel/validation/instance-of.js';

/**
 * What null means in an input (docs/reference/tracker.md#inputs): in a create it is absent, in an update it clears,
 * and a field that always has a value refuses it (`@NotNull()`).
 */
export type InputKind = 'create' | 'update';

interface InputRules {
  kind: InputKind;
  type: Type<object>;
}

const inputsByName = new Map<string, InputRules>();
const clocks = new WeakMap<object, Date>();

function inputOf(kind: InputKind): ClassDecorator {
  return (target) => {
    InputType()(target);
    inputsByName.set(target.name, { kind, type: target as unknown as Type<object> });
  };
}

/** An input that makes something. The class name is the wire name. */
export const CreateInput = (): ClassDecorator => inputOf('create');

/** An input that changes something: absent fields stay untouched. */
export const UpdateInput = (): ClassDecorator => inputOf('update');

/** The class with the rules of the input type of this name; filters and sort keys have none. */
export function inputClass(name: string): InputRules | undefined {
  return inputsByName.get(name);
}

/** An input within an input, or a list of them, each with rules of its own. */
export const NestedInputs = (type: Type<object>): PropertyDecorator =>
  applyDecorators(
    ValidateNested(),
    PartOf(() => type),
  );

/** The time at which an input is validated, for rules like "in the past". */
export function setJudgedAt(input: object, now: Date): void {
  clocks.set(input, now);
}

export function judgedAt(input: object): Date {
  return clocks.get(input) ?? new Date();
}
