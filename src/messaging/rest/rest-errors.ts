import { Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '../../kernel/http/error.filter.js';
import { RestError } from '../../kernel/http/http-error.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';

/** Codes of access checks on the control plane (docs/reference/control-plane.md#conventions). */
const STATUS: Partial<Record<ErrorCode, readonly [status: number, code: string]>> = {
  invalid_auth: [401, 'invalid_auth'],
  token_expired: [401, 'token_expired'],
  token_revoked: [401, 'token_revoked'],
  account_inactive: [401, 'account_inactive'],
  // the call named the workspace, or the token is of one that the account has left: either way it is not visible
  team_access_not_granted: [404, 'team_not_found'],
  missing_scope: [403, 'missing_scope'],
  not_admin: [403, 'not_admin'],
  channel_not_found: [404, 'channel_not_found'],
  message_not_found: [404, 'message_not_found'],
  user_not_found: [404, 'user_not_found'],
  is_archived: [409, 'channel_is_archived'],
  name_taken: [409, 'name_taken'],
};

/** A refusal of the product as REST; any other error is returned unchanged. */
export function toRestError(error: unknown): unknown {
  if (!(error instanceof MessagingError)) return error;
  const [status, code] = STATUS[error.code] ?? [400, error.code];
  return new RestError(status, code);
}

@Injectable()
@Catch(MessagingError)
export class RestErrorsFilter extends ErrorFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    super.catch(toRestError(error), host);
  }
}
