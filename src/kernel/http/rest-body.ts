import { BadRequestException, Body, type PipeTransform } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { brokenRules } from '../validation/broken-rules.js';
import { instanceOf } from '../validation/instance-of.js';

/** Rewrites the path at the start of a validation message: `users.0.name must …` to `users[0].name must …`. */
export const bracketed = (sentence: string): string =>
  sentence.replace(/^\S+/, (path) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'));

/** The most fields of an object. */
const MAX_FIELDS = 1_000;

/** @throws BadRequestException naming the object */
function requireFewFields(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value);
  if (!Array.isArray(value) && names.length > MAX_FIELDS) {
    throw new BadRequestException([`${bracketed(path || 'body')} must have at most ${MAX_FIELDS} fields`]);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of names) requireFewFields(fields[name], path === '' ? name : `${path}.${name}`);
}

/** A sentence for each fault; what is wrong inside a part begins with its path. */
const sentences = (errors: readonly ValidationError[], above = ''): string[] =>
  errors.flatMap(({ property, constraints = {}, children = [] }) =>
    children.length > 0
      ? sentences(children, `${above}${property}.`)
      : Object.values(constraints).map((sentence) => bracketed(above + sentence)),
  );

class BodyPipe implements PipeTransform<unknown, object> {
  transform(sent: unknown, { metatype }: { metatype?: unknown }): object {
    requireFewFields(sent, '');
    const isNothing = sent === undefined || sent === null;
    const isObject = typeof sent === 'object' && !isNothing && !Array.isArray(sent);
    const body = instanceOf(metatype as new () => object, isObject ? (sent as Record<string, unknown>) : {});
    const errors = brokenRules(body, { whitelist: true });
    if (errors.length > 0) throw new BadRequestException(sentences(errors));
    if (!isObject && !isNothing) throw new BadRequestException(['Validation failed (object is expected)']);
    return body;
  }
}

const pipe = new BodyPipe();

/** The body of a control-plane call, validated against the parameter's class: 400 with a message for each fault. */
export const RestBody = (): ParameterDecorator => Body(pipe);
