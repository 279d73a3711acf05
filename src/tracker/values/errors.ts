import { trackerErrors, type TrackerErrorKind, type TrackerErrorType } from './error-catalogue.js';

/**
 * What the tracker refuses with: one function per row of docs/reference/tracker.md#errors (error-catalogue.ts). Services
 * throw these; the GraphQL edge turns them into entries of `errors` (graphql/format-error.ts).
 */

/** The wire's tree of broken rules, as class-validator makes it: nested values nest `children`. */
export interface ArgumentError {
  property: string;
  children: ArgumentError[];
  /** Constraint name → message without a final dot. Absent on the way to a nested one. */
  constraints?: Record<string, string>;
}

/** `meta.rateLimitResult` of row 14. `duration` in milliseconds. */
export interface RateLimitResult {
  allowed: false;
  requested: number;
  remaining: number;
  duration: number;
  limit: number;
}

interface Details {
  /** A sentence with a final dot; the SDK prefers it over the message. */
  presentable?: string;
  validationErrors?: ArgumentError[];
  meta?: Record<string, unknown>;
  /** Where it differs from the catalogue's. */
  http?: number;
  /** Seconds for the `Retry-After` header. */
  retryAfter?: number;
}

/** An expected refusal. Make one with the functions below. */
export class TrackerError extends Error {
  readonly presentable?: string;
  readonly validationErrors?: ArgumentError[];
  readonly meta?: Record<string, unknown>;
  readonly http: number;
  readonly retryAfter?: number;

  constructor(
    readonly kind: TrackerErrorKind,
    message: string,
    details: Details = {},
  ) {
    super(message);
    this.name = 'TrackerError';
    this.presentable = details.presentable;
    this.validationErrors = details.validationErrors;
    this.meta = details.meta;
    this.http = details.http ?? trackerErrors[kind].http;
    this.retryAfter = details.retryAfter;
  }

  get type(): TrackerErrorType {
    return trackerErrors[this.kind].type;
  }

  get code(): string {
    return trackerErrors[this.kind].code;
  }
}

/** Row 1. */
export function authenticationRequired(): TrackerError {
  return new TrackerError('authenticationRequired', 'Authentication required, not authenticated', {
    presentable: 'You need to authenticate to access this operation.',
    meta: {},
  });
}

/** Row 2. */
export function organizationRequired(): TrackerError {
  return new TrackerError('organizationRequired', 'Organization required', {
    presentable: 'Create or join an organization, then use the new access token.',
  });
}

/** Row 3. */
export function keyAsBearer(): TrackerError {
  const message =
    "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header.";
  return new TrackerError('keyAsBearer', message, { presentable: message });
}

/** Row 4; 405 for another method, 413 for a body too large. */
export function badRequest(http: 400 | 405 | 413 = 400): TrackerError {
  const message = 'GraphQL operations must contain a non-empty query.';
  return new TrackerError('badRequest', message, { presentable: message, http });
}

/** Row 5. `presentable` names who may: `You need to be an admin to manage webhooks.` */
export function forbidden(presentable: string): TrackerError {
  return new TrackerError('forbidden', 'Forbidden', { presentable });
}

/** Row 8: also for what exists where the caller cannot see it, and for malformed ids. */
export function notFound(entity: string): TrackerError {
  return new TrackerError('notFound', `Entity not found: ${entity}`, {
    presentable: `Could not find referenced ${entity}.`,
  });
}

/** Row 9. The first constraint of the tree, with a dot, is what people read. */
export function argumentValidation(validationErrors: ArgumentError[]): TrackerError {
  return new TrackerError('argumentValidation', 'Argument Validation Error', {
    presentable: `${firstConstraint(validationErrors) ?? 'Argument Validation Error'}.`,
    validationErrors,
  });
}

/** Row 9 for a rule that only the service can judge: `invalidArgument('completedAt', 'isDate', '… must …')`, no dot. */
export function invalidArgument(property: string, constraint: string, message: string): TrackerError {
  return argumentValidation([{ property, children: [], constraints: { [constraint]: message } }]);
}

function firstConstraint(errors: readonly ArgumentError[]): string | undefined {
  for (const error of errors) {
    const own = Object.values(error.constraints ?? {})[0];
    const found = own ?? firstConstraint(error.children);
    if (found) return found;
  }
  return undefined;
}

/** Row 10. `field` as the caller wrote it: `stateId`, `labelIds`. */
export function unknownReference(field: string): TrackerError {
  return new TrackerError('unknownReference', `Entity not found in validateAccess: ${field}`, {
    presentable: `${field} contained an entry that could not be found.`,
  });
}

/** Row 11, the one with a code of its own: state, cycle or project of another team than the issue's. */
export function teamDiscrepancy(): TrackerError {
  const message = 'Discrepancy between issue team and state, cycle or project.';
  return new TrackerError('discrepancy', message, { presentable: message });
}

/** Row 11 for a milestone of another project. */
export function milestoneDiscrepancy(): TrackerError {
  const message = 'Discrepancy between issue project and milestone.';
  return new TrackerError('discrepancy', message, { presentable: message });
}

/** Row 11 for a template of another team than that of what it is applied to. */
export function templateDiscrepancy(type: string): TrackerError {
  const message = `Discrepancy between ${type} team and template.`;
  return new TrackerError('discrepancy', message, { presentable: message });
}

/** Row 11 for a stage of another pipeline. */
export function stageDiscrepancy(): TrackerError {
  const message = 'Discrepancy between release pipeline and stage.';
  return new TrackerError('discrepancy', message, { presentable: message });
}

/** Row 11: a lower-case statement and a full sentence; the sentence defaults to the statement. */
export function brokenRule(message: string, presentable: string = message): TrackerError {
  return new TrackerError('rule', message, { presentable });
}

/** Row 11: nothing is created in a deleted team (docs/reference/tracker.md#team). `key` is the team's. */
export function teamArchived(key: string): TrackerError {
  return brokenRule('team is archived', `The team ${key} is archived; restore it first.`);
}

/** Row 12. */
export function idAlreadyUsed(entity: string, id: string): TrackerError {
  return new TrackerError('conflict', `conflict on insert of ${entity}`, {
    presentable: `Entity ${entity} with id ${id} already exists.`,
  });
}

/** Row 13. `name` as the label that exists writes it; `team` is that team's name, none for a workspace label. */
export function duplicateLabel(name: string, team?: string): TrackerError {
  const where = team === undefined ? 'in the workspace' : `in team ${team}`;
  return new TrackerError('duplicate', 'duplicate label name', {
    presentable: `Label "${name}" already exists ${where}.`,
  });
}

const duplicates = {
  'team key': 'The team key',
  'state name': 'The state name',
  'url key': 'The URL key',
  'display name': 'The display name',
  'project status name': 'The project status name',
  'initiative project': 'The project',
  'customer domain': 'The domain',
  'team membership': 'The member',
  'issue release': 'The release',
  'release pipeline slug': 'The slug',
  'release version': 'The version',
} as const;

/** Row 13 for everything but labels: `duplicate('team key', 'ENG')`. */
export function duplicate(what: keyof typeof duplicates, value: string): TrackerError {
  return new TrackerError('duplicate', `duplicate ${what}`, {
    presentable: `${duplicates[what]} "${value}" is already in use.`,
  });
}

/**
 * Row 14. `limit` is the configured limit of that budget, `requested` and `remaining` are in its unit, `retryAfter` the
 * whole seconds until the cost fits.
 */
export function budgetEmpty(
  budget: 'requests' | 'complexity points',
  state: { limit: number; requested: number; remaining: number; retryAfter: number },
): TrackerError {
  const message = `Rate limit exceeded. Only ${state.limit} ${budget} are allowed per 1 hour.`;
  const { limit, requested, remaining, retryAfter } = state;
  const rateLimitResult: RateLimitResult = { allowed: false, requested, remaining, duration: 3_600_000, limit };
  return new TrackerError('budgetEmpty', message, { presentable: message, meta: { rateLimitResult }, retryAfter });
}

/** Row 15. `complexity` in points, tenths as decimals; not rounded up. */
export function tooComplex(complexity: number, allowed: number): TrackerError {
  return new TrackerError('tooComplex', 'Query too complex', {
    presentable: `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${allowed}.`,
  });
}

/** Row 15, for an answer that would be larger than `limit` bytes (`SVC_TRACKER_MAX_ANSWER`). */
export function answerTooLarge(limit: number): TrackerError {
  return new TrackerError('tooComplex', 'Query too complex', {
    presentable: `The query is too complex. Its answer would be larger than ${limit} bytes.`,
  });
}

/** A statement or a lock took longer than its limit. */
export function timedOut(): TrackerError {
  return new TrackerError('timeout', 'Timeout', { presentable: 'The query took too long.' });
}

/** A `subscription` operation: there is no transport for one. */
export function noSubscriptions(): TrackerError {
  return new TrackerError('validationFailed', 'Subscriptions are not supported over HTTP');
}

/** Row 16: says nothing about what went wrong. The cause is for the log. */
export function internalError(): TrackerError {
  return new TrackerError('internal', 'Internal server error');
}

/** Row 17. `retryAfter` in whole seconds. */
export function unavailable(retryAfter = 1): TrackerError {
  return new TrackerError('unavailable', 'Service unavailable', { retryAfter });
}

/** Row 18. `scope` is the first one that would do. */
export function scopeMissing(scope: string): TrackerError {
  const message = `Invalid scope: \`${scope}\` required`;
  return new TrackerError('scopeMissing', message, { presentable: message });
}
