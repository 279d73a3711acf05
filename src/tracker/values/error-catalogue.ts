/**
 * Every refusal of the tracker: the table of docs/reference/tracker.md#errors, from which docs/ERRORS.md is generated.
 */

/**
 * `extensions.type`: the SDK picks its error class from it alone, so these strings are exact
 * (docs/reference/tracker.md#errors).
 */
export type TrackerErrorType =
  | 'authentication error'
  | 'forbidden'
  | 'graphql error'
  | 'internal error'
  | 'invalid input'
  | 'lock timeout'
  | 'network error'
  | 'ratelimited';

interface CatalogueEntry {
  /** The row of docs/reference/tracker.md#errors. */
  row: number;
  type: TrackerErrorType;
  code: string;
  /** `extensions.statusCode`, which is not the HTTP status. */
  statusCode: number;
  /** The HTTP status; 200 for refusals during execution. */
  http: number;
  when: string;
}

const catalogue = {
  authenticationRequired: {
    row: 1,
    type: 'authentication error',
    code: 'AUTHENTICATION_ERROR',
    statusCode: 401,
    http: 401,
    when: 'no, unknown, expired or revoked credential; suspended user',
  },
  organizationRequired: {
    row: 2,
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    http: 403,
    when: 'the access token has no organization claim',
  },
  keyAsBearer: {
    row: 3,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 400,
    when: 'an API key behind `Bearer `',
  },
  badRequest: {
    row: 4,
    type: 'graphql error',
    code: 'BAD_REQUEST',
    statusCode: 400,
    http: 400,
    when: 'the request holds no GraphQL operation: body, `query`, `variables`, method or size',
  },
  forbidden: {
    row: 5,
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    http: 200,
    when: 'the caller may not do this',
  },
  parseFailed: {
    row: 6,
    type: 'graphql error',
    code: 'GRAPHQL_PARSE_FAILED',
    statusCode: 400,
    http: 400,
    when: 'syntax error in the document',
  },
  validationFailed: {
    row: 6,
    type: 'graphql error',
    code: 'GRAPHQL_VALIDATION_FAILED',
    statusCode: 400,
    http: 400,
    when: 'the document does not fit the schema',
  },
  operationUnresolved: {
    row: 6,
    type: 'graphql error',
    code: 'OPERATION_RESOLUTION_FAILURE',
    statusCode: 400,
    http: 400,
    when: 'no or an unknown `operationName` where one is needed',
  },
  badVariable: {
    row: 7,
    type: 'graphql error',
    code: 'BAD_USER_INPUT',
    statusCode: 400,
    http: 400,
    when: 'a variable does not fit its type',
  },
  notFound: {
    row: 8,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 200,
    when: 'an id argument resolves to nothing',
  },
  argumentValidation: {
    row: 9,
    type: 'invalid input',
    code: 'INVALID_INPUT',
    statusCode: 400,
    http: 200,
    when: 'an argument breaks a rule of format, range or presence',
  },
  unknownReference: {
    row: 10,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 200,
    when: 'a reference inside an input is unknown',
  },
  discrepancy: {
    row: 11,
    type: 'invalid input',
    code: 'INVALID_INPUT',
    statusCode: 400,
    http: 200,
    when: 'state, cycle or project do not belong to the team of the issue',
  },
  rule: {
    row: 11,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 200,
    when: 'a rule of the product is broken',
  },
  conflict: {
    row: 12,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 200,
    when: 'create with an `id` that exists',
  },
  duplicate: {
    row: 13,
    type: 'invalid input',
    code: 'INPUT_ERROR',
    statusCode: 400,
    http: 200,
    when: 'a name or key is taken',
  },
  budgetEmpty: {
    row: 14,
    type: 'ratelimited',
    code: 'RATELIMITED',
    statusCode: 429,
    http: 400,
    when: 'the request or the complexity budget is empty',
  },
  tooComplex: {
    row: 15,
    type: 'ratelimited',
    code: 'RATELIMITED',
    statusCode: 400,
    http: 400,
    when: 'a single query costs more than allowed',
  },
  timeout: {
    row: 16,
    type: 'lock timeout',
    code: 'TIMEOUT',
    statusCode: 504,
    http: 200,
    when: 'a statement or a lock took longer than its limit',
  },
  internal: {
    row: 16,
    type: 'internal error',
    code: 'INTERNAL_SERVER_ERROR',
    statusCode: 500,
    http: 500,
    when: 'a bug',
  },
  unavailable: {
    row: 17,
    type: 'network error',
    code: 'SERVICE_UNAVAILABLE',
    statusCode: 503,
    http: 503,
    when: 'overloaded, shutting down, or the store is away',
  },
  scopeMissing: {
    row: 18,
    type: 'forbidden',
    code: 'FORBIDDEN',
    statusCode: 403,
    http: 200,
    when: 'the OAuth token lacks a scope that a field of the document needs',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type TrackerErrorKind = keyof typeof catalogue;

export const trackerErrors: Readonly<Record<TrackerErrorKind, CatalogueEntry>> = catalogue;
