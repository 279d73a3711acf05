import { BadRequestException, Body, type PipeTransform } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { RestError } from '../../kernel/http/http-error.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { brokenRules } from '../../kernel/validation/broken-rules.js';
import { instanceOf } from '../../kernel/validation/instance-of.js';
import { placeOf, wordsForOtherFields } from './body-rules.js';

type Class<T extends object> = new () => T;

/** One thing that is wrong with what was sent, and where. */
interface Fault {
  readonly path: string;
  /** Follows the path in a sentence; begins with a colon where it is no predicate. */
  readonly what: string;
}

interface Options {
  /**
   * How faults are told: `all`, as a list of sentences (`name must be …`); `first`, that list with one of them; `path`,
   * one as a code with its path (`on.method: must be …`).
   */
  readonly reports: 'all' | 'first' | 'path';
  /** What is no object is refused (`invalid_json`); otherwise it says nothing. `unlessAbsent`: no body is fine. */
  readonly requiresObject?: true | 'unlessAbsent';
}

class SandboxBodyPipe implements PipeTransform<unknown, object> {
  constructor(private readonly options: Options) {}

  transform(body: unknown, { metatype }: { metatype?: unknown }): object {
    const { requiresObject = false } = this.options;
    const isNothing = body === undefined || body === null;
    if (!isObject(body) && requiresObject !== false && !(isNothing && requiresObject === 'unlessAbsent')) {
      throw new RestError(400, 'invalid_json');
    }
    const read = readFields(metatype as Class<object>, isObject(body) ? body : {});
    if (read.faults.length > 0) throw this.refusal(read.faults);
    return read.fields;
  }

  private refusal(faults: readonly Fault[]): Error {
    const [first] = faults as [Fault];
    switch (this.options.reports) {
      case 'all':
        return new BadRequestException(faults.map((fault) => sentence(fault, ' ')));
      case 'first':
        return new BadRequestException([sentence(first, ' ')]);
      case 'path':
        return new RestError(400, sentence(first, ': '));
    }
  }
}

/** The body of a call about a sandbox, as the parameter's class declares it. */
export const SandboxBody = (options: Options): ParameterDecorator => Body(new SandboxBodyPipe(options));

export const sentence = ({ path, what }: Fault, separator: ' ' | ': '): string =>
  what.startsWith(':') || path === '' ? `${path}${what}` : `${path}${separator}${what}`;

/** What was sent as an instance of its class, and what is wrong with it in the order of the class's fields. */
export function readFields<T extends object>(
  type: Class<T>,
  sent: Readonly<Record<string, unknown>>,
): { fields: T; faults: Fault[] } {
  const fields = instanceOf(type, sent);
  const errors = brokenRules(fields, { whitelist: true, forbidNonWhitelisted: true });
  return { fields, faults: errors.length === 0 ? [] : faultsOf(errors) };
}

/** What is wrong with a field itself; what is wrong inside it only where the field is what it should be. */
function faultsOf(errors: readonly ValidationError[], above = ''): Fault[] {
  return errors.flatMap(({ property, target, constraints = {}, children = [] }) => {
    const path = Array.isArray(target) ? `${above}[${property}]` : above === '' ? property : `${above}.${property}`;
    if (constraints['whitelistValidation'] !== undefined) {
      const what = wordsForOtherFields(target as object);
      return what === undefined ? [] : [{ path, what: `: ${what}` }];
    }
    const { nestedValidation, ...rules } = constraints;
    const own = Object.values(rules).flatMap((message) => placeOf(message));
    if (own.length === 0 && nestedValidation !== undefined) return [{ path, what: 'must be an object' }];
    if (own.length === 0) return faultsOf(children, path);
    return own.map(({ at, what }) => (at === null ? { path: '', what } : { path: `${path}${at}`, what }));
  });
}
