import { parseIsoDate } from '../../kernel/text/iso-date.js';
import type { SeedShape } from '../../tracker/entity/seed-shapes.js';

type Json = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The most faults, and warnings, that are kept: a document of garbage has one for each of its values. */
const MAX_REPORTED = 1_000;

/**
 * Reads the values of a document: a value that does not fit becomes a fault with its path, an unknown field a warning.
 */
export class SeedReader {
  readonly faults: string[] = [];
  readonly warnings: string[] = [];
  /** Messages generated so far. */
  generatedMessages = 0;
  private readonly refs = new Set<string>();

  /**
   * @param nowMicros the sandbox's time
   * @param shapes the things that are read by their declaration
   */
  constructor(
    readonly nowMicros: number,
    readonly shapes: readonly SeedShape[] = [],
  ) {}

  fault(path: string, what: string): void {
    if (this.faults.length < MAX_REPORTED) this.faults.push(`${path}: ${what}`);
  }

  /** @param fields the known field names, separated by spaces */
  object(value: unknown, path: string, fields: string): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.fault(path, 'must be an object');
      return {};
    }
    const known = fields.split(' ');
    for (const key of Object.keys(value)) {
      if (known.includes(key) || this.warnings.length >= MAX_REPORTED) continue;
      this.warnings.push(`${path === '' ? key : `${path}.${key}`}: no such field`);
    }
    return value as Json;
  }

  /** An object of any form. */
  anyObject(value: unknown, path: string): Json {
    return this.object(value, path, Object.keys(value ?? {}).join(' '));
  }

  list(value: unknown, path: string): unknown[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.fault(path, 'must be a list');
    return [];
  }

  text(value: unknown, path: string, max = 40_000): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && (value.length <= max || [...value].length <= max)) return value;
    this.fault(path, `must be a text of at most ${max} characters`);
    return undefined;
  }

  /** A required text that must not be blank. */
  name(value: unknown, path: string, max = 255): string {
    const text = this.text(value, path, max);
    if (text !== undefined && text.trim() !== '') return text;
    if (text !== undefined || value === undefined || value === null)
      this.fault(path, 'must be a text that is not blank');
    return '';
  }

  texts(value: unknown, path: string): string[] {
    return this.list(value, path).flatMap((one, i) => {
      if (typeof one === 'string') return [one];
      this.fault(`${path}[${i}]`, 'must be a text');
      return [];
    });
  }

  flag(value: unknown, path: string): boolean | undefined {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
    this.fault(path, 'must be true or false');
    return undefined;
  }

  whole(value: unknown, path: string, least: number, most: number): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    this.fault(path, `must be a whole number from ${least} to ${most}`);
    return undefined;
  }

  number(value: unknown, path: string, least: number): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && value >= least) return value;
    this.fault(path, `must be a number from ${least} up`);
    return undefined;
  }

  /** A chat id: its prefix, 0 and nine characters. */
  id(value: unknown, path: string, prefix: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && new RegExp(`^${prefix}0[0-9A-Z]{9}$`).test(value)) return value;
    this.fault(path, `must be an id: ${prefix}0 and nine of 0-9 and A-Z`);
    return undefined;
  }

  uuid(value: unknown, path: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && UUID.test(value)) return value.toLowerCase();
    this.fault(path, 'must be a UUID');
    return undefined;
  }

  /** A fixed secret: 20 to 255 characters with this prefix. */
  token(value: unknown, path: string, prefix: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    const isOne =
      typeof value === 'string' &&
      value.startsWith(prefix) &&
      value.length >= 20 &&
      value.length <= 255 &&
      /^[A-Za-z0-9-]+$/.test(value.slice(prefix.length));
    if (isOne) return value;
    this.fault(path, `must be 20 to 255 of A-Z, a-z, 0-9 and "-"${prefix === '' ? '' : `, beginning with ${prefix}`}`);
    return undefined;
  }

  url(value: unknown, path: string): string {
    if (typeof value === 'string' && value.length <= 2048 && URL.canParse(value) && /^https?:/i.test(value))
      return value;
    this.fault(path, 'must be an http or https URL');
    return '';
  }

  /** What `of` gives must be unique within a list, where it gives something: a fault at this field of what repeats it. */
  unique<T extends { readonly path: string }>(things: readonly T[], of: (thing: T) => unknown, field: string): void {
    const seen = new Set<unknown>();
    for (const thing of things) {
      const value = of(thing);
      if (value === undefined || value === '') continue;
      if (seen.has(value)) this.fault(`${thing.path}.${field}`, `"${String(value)}" is there twice`);
      seen.add(value);
    }
  }

  /** An object's ref: a name of its own in the document. */
  ref(value: unknown, path: string): string | undefined {
    const ref = this.text(value, path, 255);
    if (ref === undefined) return undefined;
    if (this.refs.has(ref)) this.fault(path, `the ref "${ref}" is there twice`);
    this.refs.add(ref);
    return ref;
  }

  day(value: unknown, path: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && DAY.test(value) && parseIsoDate(value)) return value;
    this.fault(path, 'must be a day such as 2026-01-31');
    return undefined;
  }

  moment(value: unknown, path: string): Date | undefined {
    const at = typeof value === 'string' ? parseIsoDate(value) : undefined;
    if (at) return at;
    this.fault(path, 'must be an ISO time');
    return undefined;
  }

  /** Microseconds, from seconds relative to now or an ISO time; not in the future. */
  at(value: unknown, path: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    const at =
      typeof value === 'number'
        ? this.nowMicros + Math.round(value * 1e6)
        : typeof value === 'string'
          ? (parseIsoDate(value)?.getTime() ?? NaN) * 1000
          : NaN;
    if (!Number.isFinite(at) || at < 946_684_800_000_000) {
      this.fault(path, 'must be seconds relative to now, or an ISO time, from the year 2000 on');
      return undefined;
    }
    if (at > this.nowMicros) this.fault(path, "must not be later than the sandbox's now");
    return at;
  }
}
