import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type TrackerErrorKind, trackerErrors } from '../values/error-catalogue.js';
import { internalError, TrackerError } from '../values/errors.js';

/**
 * The phase in which an error of graphql-js arose; it decides the row of docs/reference/tracker.md#errors, never the
 * message.
 */
export type Phase = 'parse' | 'validate' | 'operation' | 'variables' | 'execute';

export interface FormattedError {
  entry: GraphQLFormattedError;
  /** The HTTP status for this error. */
  status: number;
  /** False where the answer has no `data` key: nothing was executed, or its result must not be shown. */
  hasData: boolean;
  /** Seconds for `Retry-After`. */
  retryAfter?: number;
  /** Set when the error is a bug: what to log. */
  bug?: unknown;
}

const kindOfPhase: Record<Phase, TrackerErrorKind> = {
  parse: 'parseFailed',
  validate: 'validationFailed',
  operation: 'operationUnresolved',
  variables: 'badVariable',
  execute: 'internal',
};

/** Apollo's codes, on errors of its own and of graphql-js. */
const kindOfCode: Record<string, TrackerErrorKind> = {
  BAD_REQUEST: 'badRequest',
  BAD_USER_INPUT: 'badVariable',
  GRAPHQL_PARSE_FAILED: 'parseFailed',
  GRAPHQL_VALIDATION_FAILED: 'validationFailed',
  OPERATION_RESOLUTION_FAILURE: 'operationUnresolved',
};

/**
 * Any error as its entry of docs/reference/tracker.md#errors. `phase` is asked only for errors that say nothing
 * themselves.
 */
export function formatError(error: unknown, phase: Phase = 'execute'): FormattedError {
  const refusal = refusalIn(error);
  if (refusal) return entryOf(refusal.kind, refusal.message, error, refusal);
  // The request's own nesting overflowed the parser or the coercion: the caller's fault, not a bug.
  if (error instanceof RangeError && phase !== 'execute') {
    return entryOf(kindOfPhase[phase], 'The request is nested too deeply.', error);
  }
  const kind = kindOf(error, phase);
  if (kind === 'internal') return { ...entryOf(kind, internalError().message, error), bug: causeOf(error) };
  return entryOf(kind, withoutSuggestion(error instanceof Error ? error.message : String(error)), error);
}

/** The contract's messages end before graphql-js's suggestions (docs/reference/tracker.md#operations). */
function withoutSuggestion(message: string): string {
  return message.replace(/ Did you mean [^?]*\?$/, '');
}

/** The whole answer to a request that has errors: its status, and a body with or without `data`. */
export function formatResponse(
  errors: readonly unknown[],
  data: unknown,
  phase: Phase = 'execute',
): { status: number; body: { errors: GraphQLFormattedError[]; data?: unknown }; retryAfter?: number; bugs: unknown[] } {
  // an answer that is too large is refused as a whole, whatever else failed below
  const tooLarge = errors.find((error) => refusalIn(error)?.kind === 'tooComplex');
  const formatted = (tooLarge ? [tooLarge] : errors).map((error) => formatError(error, phase));
  const body: { errors: GraphQLFormattedError[]; data?: unknown } = { errors: formatted.map(({ entry }) => entry) };
  if (formatted.every(({ hasData }) => hasData)) body.data = data ?? null;
  return {
    status: Math.max(...formatted.map(({ status }) => status)),
    body,
    retryAfter: formatted.find((f) => f.retryAfter !== undefined)?.retryAfter,
    bugs: formatted.flatMap((f) => ('bug' in f ? [f.bug] : [])),
  };
}

/** The refusal that a resolver threw, inside whatever the executors wrapped around it. */
function refusalIn(error: unknown): TrackerError | undefined {
  for (let at = error, depth = 0; at && depth < 5; at = (at as GraphQLError).originalError, depth += 1) {
    if (at instanceof TrackerError) return at;
  }
  return undefined;
}

function kindOf(error: unknown, phase: Phase): TrackerErrorKind {
  if (!(error instanceof GraphQLError) || isBug(error)) return 'internal';
  // graphql-jit's errors have no extensions unless what they stand for has
  const { extensions } = error as { extensions?: Record<string, unknown> };
  return kindOfCode[String(extensions?.['code'])] ?? kindOfPhase[phase];
}

/** Something other than a GraphQLError was thrown while resolving. */
function isBug(error: GraphQLError): boolean {
  return error.originalError !== undefined && !(error.originalError instanceof GraphQLError);
}

function causeOf(error: unknown): unknown {
  return (error instanceof GraphQLError && error.originalError) || error;
}

const executed = new Set<TrackerErrorKind>([
  'timeout',
  'forbidden',
  'notFound',
  'argumentValidation',
  'unknownReference',
  'discrepancy',
  'rule',
  'conflict',
  'duplicate',
  'scopeMissing',
]);

function entryOf(kind: TrackerErrorKind, message: string, error: unknown, refusal?: TrackerError): FormattedError {
  const { type, code, statusCode, http } = trackerErrors[kind];
  const status = refusal?.http ?? http;
  const { path, locations } = error instanceof GraphQLError ? error : {};
  const extensions = {
    type,
    code,
    statusCode,
    userError: kind !== 'internal' && kind !== 'unavailable',
    ...(refusal?.presentable !== undefined && { userPresentableMessage: refusal.presentable }),
    ...(refusal?.validationErrors && { validationErrors: refusal.validationErrors }),
    ...(refusal?.meta && { meta: refusal.meta }),
    ...(status !== 200 && { http: { status, headers: {} } }),
  };
  return {
    entry: { message, ...(path && { path }), ...(locations && { locations }), extensions },
    status,
    hasData: executed.has(kind),
    ...(refusal?.retryAfter !== undefined && { retryAfter: refusal.retryAfter }),
  };
}
