import { HttpException } from '@nestjs/common';

/**
 * Refusals for overload are delayed by this, in milliseconds, so that a caller that retries at once without reading
 * Retry-After costs little (docs/reference/limits.md#overload).
 */
export const REFUSED_AFTER_MS = 200;

/** An error of the control plane: `message` is a snake_case code (docs/reference/control-plane.md#conventions). */
export class RestError extends HttpException {
  constructor(
    status: number,
    readonly code: string,
    readonly retryAfterSeconds?: number,
    /** The part of the request it is about, if that is not obvious: `users[0].id`. */
    readonly path?: string,
  ) {
    super({ statusCode: status, message: code, error: REASONS[status] ?? 'Error' }, status);
  }
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** The body of a REST error; `message` is a code, or the messages of a field validation. */
export const restErrorBody = (status: number, message: string | string[], path?: string): object => ({
  statusCode: status,
  message,
  error: REASONS[status] ?? 'Error',
  ...(path === undefined ? {} : { path }),
});
