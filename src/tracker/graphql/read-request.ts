import { parseJson } from '../../kernel/text/json.js';
import { badRequest, type TrackerError } from '../values/errors.js';

/** A request's body, read (docs/reference/tracker.md#transport). */
export interface GraphqlRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | null;
}

/** The refusal of docs/reference/tracker.md#errors row 4 for a body that is no request. */
export function readRequest(body: unknown): GraphqlRequest | TrackerError {
  let value: unknown;
  try {
    value = Buffer.isBuffer(body) ? parseJson(body.toString('utf8')) : undefined;
  } catch {
    return badRequest();
  }
  if (!isObject(value)) return badRequest();
  const { query, variables, operationName } = value;
  if (typeof query !== 'string' || query === '') return badRequest();
  if (variables !== undefined && variables !== null && !isObject(variables)) return badRequest();
  return {
    query,
    variables: variables ?? {},
    operationName: typeof operationName === 'string' && operationName !== '' ? operationName : null,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
