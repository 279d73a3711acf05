import { HttpException } from '@nestjs/common';

/**
 * Nobody hears sooner that there is too much to do, in milliseconds: who tries again at once, without reading Retry-After,
 * costs little so (docs/reference/limits.md#overload).
 */
export const REFUSED_AFTER_MS = 200;

/** A refusal of the control plane: `message` is a snake_case code (docs/reference/control-plane.md#conventions). */
export class RestError extends HttpException {
  constructor(
    status: number,
    readonly code: string,
    readonly retryAfterSeconds?: number,
    /** What of the request it is about, where that is not plain: `users[0].id`. */
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

/** The body of a REST error; `message` is a code, or the sentences of a field validation. */
export const restErrorBody = (status: number, message: string | string[], path?: string): object => ({
  statusCode: status,
  message,
  error: REASONS[status] ?? 'Error',
  ...(path === undefined ? {} : { path }),
});
