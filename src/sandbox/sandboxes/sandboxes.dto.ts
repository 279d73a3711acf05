import { IsOptional } from 'class-validator';
import { isLocalTarget } from '../../auth/sign-in-links.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { MayBeAbsent, OneOf, Rule, TextThat, TrueOrFalse, type Fault } from '../access/body-rules.js';

const MAX_LABELS = 20;
const LABEL_KEY = /^[A-Za-z0-9._/-]{1,63}$/;
const MIN_TTL = 60;
const MAX_TTL = 2_592_000;
const MAX_MULTIPLIER = 1e6;

const isShort = (text: string): boolean => text.trim() !== '' && [...text].length <= 80;

function faultsOfLabels(labels: unknown): string | Fault[] {
  if (!isObject(labels)) return 'must be an object of texts';
  const entries = Object.entries(labels);
  return [
    ...(entries.length > MAX_LABELS ? [{ at: '', what: `must be at most ${MAX_LABELS}` }] : []),
    ...entries.flatMap(([key, value]) => [
      ...(LABEL_KEY.test(key)
        ? []
        : [{ at: `.${key}`, what: 'must have a key of 1 to 63 of A-Z, a-z, 0-9, ".", "_", "/" and "-"' }]),
      ...(typeof value === 'string' && [...value].length <= 255
        ? []
        : [{ at: `.${key}`, what: 'must be a text of at most 255 characters' }]),
    ]),
  ];
}

const isTtl = (value: unknown): boolean =>
  value === null || (Number.isInteger(value) && (value as number) >= MIN_TTL && (value as number) <= MAX_TTL);

export const IsTtl = (): PropertyDecorator =>
  Rule((value) => (isTtl(value) ? undefined : `must be a whole number from ${MIN_TTL} to ${MAX_TTL}, or null`));

const isMultiplier = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && value >= 0 && value <= MAX_MULTIPLIER);

/** What PATCH sets, and what creation takes of the same. Null takes an own choice back. */
export class SandboxChangesBody {
  @MayBeAbsent() @TextThat(isShort, 'must be a text of 1 to 80 characters') name?: string;
  @MayBeAbsent() @Rule(faultsOfLabels) labels?: Record<string, string>;
  /** Null: it does not end. */
  @MayBeAbsent() @IsTtl() ttl_seconds?: number | null;
  @IsOptional() @TrueOrFalse() journal?: boolean | null;
  @IsOptional() @OneOf(['core', 'all'], 'must be core or all') methods?: 'core' | 'all' | null;
  @MayBeAbsent()
  @Rule((value) => (isMultiplier(value) ? undefined : `must be a number from 0 to ${MAX_MULTIPLIER}, or null`))
  rate_limit_multiplier?: number | null;
  @IsOptional() @OneOf([200, 403], 'must be 200, 403 or null') missing_scope_status?: 200 | 403 | null;
  @IsOptional() @OneOf(['server', 'vendor'], 'must be server or vendor') urls?: 'server' | 'vendor' | null;
}

const isNotEmpty = (text: string): boolean => text !== '';

export class ActAsBody {
  @TextThat(isNotEmpty, 'must be the id or the name of a user') user!: string;
}

export class UiLinkBody {
  @IsOptional() @TextThat(isNotEmpty, 'must be the id or the name of a user') user?: string | null;
  @IsOptional() @TextThat(isLocalTarget, 'must be a path that begins with one /') to?: string | null;
}
