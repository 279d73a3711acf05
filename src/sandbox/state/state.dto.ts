import { isObject } from '../../kernel/matchers/matcher.js';
import { MayBeAbsent, NoOtherFields, Rule, TrueOrFalse, type Fault } from '../access/body-rules.js';
import { STATE_FIELDS, STATE_FORMAT } from '../../tenants/state/states.js';

/** What a state can be compared with, of which one is named. */
export const OTHERS = ['sandbox', 'snapshot', 'document', 'hash'] as const;

/** What is wrong with a list of entities and fields. */
export function faultOfIgnored(value: unknown): readonly Fault[] | string {
  if (!Array.isArray(value)) return 'must be a list';
  return value.flatMap((one: unknown, i) => {
    const fault = typeof one === 'string' ? faultOfIgnoredName(one) : 'must be a string';
    return fault === undefined ? [] : [{ at: `[${i}]`, what: fault }];
  });
}

/** What is wrong with the name of an entity or of a field. */
export function faultOfIgnoredName(name: string): string | undefined {
  const [entity = '', field, ...rest] = name.split('.');
  const fields = STATE_FIELDS.get(entity);
  if (fields && rest.length === 0 && (field === undefined || fields.includes(field))) return undefined;
  return fields
    ? `must be a field of ${entity}: ${fields.join(', ')}`
    : `must be one of ${[...STATE_FIELDS.keys()].join(', ')}`;
}

export const faultOfHash = (value: unknown): string | undefined =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
    ? undefined
    : 'must be sha256: and 64 hexadecimal digits';

function faultOfOther(value: unknown): readonly Fault[] | string {
  if (!isObject(value)) return 'must be an object';
  const named = Object.keys(value);
  const [other] = OTHERS.filter((one) => value[one] !== undefined);
  if (named.length !== 1 || other === undefined) return `must have one of ${OTHERS.join(', ')}`;
  const of = value[other];
  if (other === 'document') return faultsOfDocument(of);
  if (typeof of !== 'string') return [{ at: `.${other}`, what: 'must be a string' }];
  const fault = other === 'hash' ? faultOfHash(of) : undefined;
  return fault === undefined ? [] : [{ at: '.hash', what: fault }];
}

function faultsOfDocument(value: unknown): Fault[] {
  if (!isObject(value) || value['format'] !== STATE_FORMAT) {
    return [{ at: '.document', what: `must be a document of the format ${STATE_FORMAT}` }];
  }
  return (['chat', 'tracker'] as const).flatMap((product) => {
    const lists = value[product];
    const isGood =
      isObject(lists) &&
      Object.values(lists).every((list) => Array.isArray(list) && list.every((one) => isObject(one)));
    return isGood ? [] : [{ at: `.document.${product}`, what: 'must be an object of lists of objects' }];
  });
}

@NoOtherFields()
export class CompareBody {
  @Rule(faultOfOther) with: Readonly<Record<string, unknown>>;
  @MayBeAbsent() @TrueOrFalse() ids = false;
  @MayBeAbsent() @Rule(faultOfIgnored) ignore: string[] = [];
}
