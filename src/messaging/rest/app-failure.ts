import { RestError } from '../../kernel/http/http-error.js';

export type TransportName = 'http' | 'socket';

/**
 * An app did not answer, or answered with an error: 502 on the control plane, an outcome of the delivery in human
 * actions.
 */
export class AppFailure extends RestError {
  constructor(
    code: 'operation_timeout' | 'connection_failed' | 'http_client_error',
    readonly transport: TransportName,
    readonly statusCode: number | null = null,
  ) {
    super(502, code);
  }
}
