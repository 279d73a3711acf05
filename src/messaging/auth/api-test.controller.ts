import { Controller } from '@nestjs/common';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { RateTier, RawRpcArgs, RequireScope, RpcMethod } from '../rpc/contract.js';
import type { RpcCall } from '../rpc/rpc-call.js';
import type { Answer } from '../rpc/envelope.interceptor.js';

/** All arguments except the token, as text. */
function asStrings(args: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const sent = Object.entries(args)
    .filter(([name, value]) => name !== 'token' && value !== null && value !== undefined)
    .map(([name, value]): [string, string] => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  return sent.length === 0 ? undefined : Object.fromEntries(sent);
}

/** Answers whether the service is up: no token is needed. */
@Controller()
export class ApiTestController {
  @RpcMethod('api.test', { core: false, anonymous: true })
  @RequireScope(null)
  @RateTier(4)
  test(@RawRpcArgs() call: RpcCall): Answer {
    if (call.bodyError !== undefined) throw new MessagingError(call.bodyError as ErrorCode);
    const args = asStrings(call.args);
    // a requested error is an ordinary answer: HTTP 200, whatever its code
    return args?.['error'] ? { ok: false, error: args['error'], args } : { args };
  }
}
