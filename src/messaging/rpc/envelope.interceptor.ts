import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { stringifyFields } from './wire-text.js';

/**
 * Fields of a successful answer. `warning` is repeated in `response_metadata.warnings`
 * (docs/reference/chat.md#envelope).
 */
export type Answer = Readonly<Record<string, unknown>> | void;

/** Puts `ok` in front of what a method returns. The answer leaves as text, so nothing serialises it again. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<Answer, string> {
  intercept(_context: ExecutionContext, next: CallHandler<Answer>): Observable<string> {
    return next.handle().pipe(map(envelope));
  }
}

export function envelope(answer: Answer): string {
  if (!answer) return '{"ok":true}';
  // api.test answers an error that was asked for
  if (answer['ok'] === false) return JSON.stringify(answer);
  const { warning } = answer as { warning?: string };
  if (warning === undefined) return `{"ok":true${stringifyFields(answer)}}`;
  const metadata = { ...(answer['response_metadata'] as object | undefined), warnings: warning.split(',') };
  return `{"ok":true${stringifyFields({ ...answer, response_metadata: metadata })}}`;
}
