import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { firstValueFrom, from, map, type Observable } from 'rxjs';
import type { PendingTake } from '../../kernel/limits/pending-take.js';
import { Checks } from './checks.js';
import type { RpcRequest } from './rpc-call.js';
import { OutdatedCaller } from './remembered-calls.js';
import { stringifyFields } from './wire-text.js';

/**
 * Fields of a successful answer. `warning` is repeated in `response_metadata.warnings`
 * (docs/reference/chat.md#envelope).
 */
export type Answer = Readonly<Record<string, unknown>> | void;

/** Puts `ok` in front of what a method returns. The answer leaves as text, so nothing serialises it again. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor<Answer, string> {
  constructor(private readonly checks: Checks) {}

  intercept(context: ExecutionContext, next: CallHandler<Answer>): Observable<string> {
    const { taking, pending } = context.switchToHttp().getRequest<RpcRequest>().rpc ?? {};
    if (pending) return from(this.with(pending, context, next));
    return taking ? from(this.after(taking, context, next)) : next.handle().pipe(map(envelope));
  }

  /**
   * A refused allowance is told before what is wrong with the arguments (docs/reference/chat.md#order-of-checks). What was
   * read for somebody who is not who they were is thrown away.
   */
  private async after(taking: Promise<void>, context: ExecutionContext, next: CallHandler<Answer>): Promise<string> {
    const answering = answerOf(next);
    // heard below, unless the allowance is refused
    answering.catch(() => undefined);
    try {
      await taking;
    } catch (error) {
      return this.repeatCall(error, context, next);
    }
    return envelope(await answering);
  }

  /** The same where the take goes with what the call writes, if it gets so far: whatever else comes of it waits for the take. */
  private async with(pending: PendingTake, context: ExecutionContext, next: CallHandler<Answer>): Promise<string> {
    let outcome: { answer: Answer } | { error: unknown };
    try {
      outcome = { answer: await answerOf(next) };
    } catch (error) {
      outcome = { error };
    }
    try {
      await pending.settle();
    } catch (error) {
      return this.repeatCall(error, context, next);
    }
    if ('error' in outcome) throw outcome.error;
    return envelope(outcome.answer);
  }

  /** Where the caller is another meanwhile, the call is checked and done once more. */
  private async repeatCall(refusal: unknown, context: ExecutionContext, next: CallHandler<Answer>): Promise<string> {
    if (!(refusal instanceof OutdatedCaller)) throw refusal;
    await this.checks.repeat(context);
    return envelope(await answerOf(next));
  }
}

const answerOf = (next: CallHandler<Answer>): Promise<Answer> =>
  firstValueFrom(next.handle(), { defaultValue: undefined });

export function envelope(answer: Answer): string {
  if (!answer) return '{"ok":true}';
  // api.test answers an error that was asked for
  if (answer['ok'] === false) return JSON.stringify(answer);
  const { warning } = answer as { warning?: string };
  if (warning === undefined) return `{"ok":true${stringifyFields(answer)}}`;
  const metadata = { ...(answer['response_metadata'] as object | undefined), warnings: warning.split(',') };
  return `{"ok":true${stringifyFields({ ...answer, response_metadata: metadata })}}`;
}
