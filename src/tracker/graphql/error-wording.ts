import { Injectable } from '@nestjs/common';
import type { GraphQLFormattedError } from 'graphql';
import { pathOf } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { formatResponse, type Phase } from './format-error.js';
import { withoutStoreErrors } from './store-errors.js';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly errors?: readonly GraphQLFormattedError[] };
  /** The serialised body, if there is one. */
  readonly text?: string | undefined;
  /** Seconds, as the header of that name says them. */
  readonly retryAfter?: string | undefined;
}

/** Where a request's errors come from, and what it was to be answered beside them. */
export interface Circumstances {
  readonly data?: unknown;
  readonly phase?: Phase;
}

/** Words errors of any kind as docs/reference/tracker.md#errors requires, and logs bugs. */
@Injectable()
export class ErrorWording {
  constructor(private readonly log: Log) {}

  answer(
    request: { readonly id: string; readonly url: string },
    errors: readonly unknown[],
    { data, phase }: Circumstances = {},
  ): Answer {
    const { status, body, retryAfter, bugs } = formatResponse(errors.map(withoutStoreErrors), data, phase);
    for (const error of bugs) {
      this.log.error('graphql failed', { error, requestId: request.id, path: pathOf(request.url) });
    }
    return { status, body, retryAfter: retryAfter?.toString() };
  }
}
