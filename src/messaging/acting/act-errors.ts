import { Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '../../kernel/http/error.filter.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ArgumentError } from '../rpc/args/parse-args.js';
import { MessagingError } from '../wire/codes.js';

/** Errors of methods in the format of human actions: the method's own code with a status of the control plane. */
export function toActError(error: unknown): unknown {
  if (!(error instanceof MessagingError)) return error;
  return new RestError(error instanceof ArgumentError ? argumentStatus(error.code) : statusOf(error.code), error.code);
}

/** An id of the wrong form gets the same answer as an unknown one. */
const argumentStatus = (code: string): number => (/_not_found$/.test(code) ? 404 : 400);

function statusOf(code: string): number {
  if (code === 'no_text') return 400;
  if (/_not_found$/.test(code) || code === 'not_in_channel' || code.startsWith('no_')) return 404;
  if (code.startsWith('cant_') || code === 'not_authorized' || code === 'not_admin') return 403;
  if (/^(already_|is_)/.test(code) || STATES.has(code)) return 409;
  return 400;
}

const STATES = new Set(['last_member', 'too_many_emoji', 'too_many_reactions', 'user_disabled', 'name_taken']);

@Injectable()
@Catch(MessagingError)
export class ActErrorsFilter extends ErrorFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    super.catch(toActError(error), host);
  }
}
