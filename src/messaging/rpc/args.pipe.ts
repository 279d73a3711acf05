import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { type ArgsClass } from './args/args.js';
import { parseArgs } from './args/parse-args.js';
import type { RpcCall } from './rpc-call.js';

/**
 * Step 6 of docs/reference/chat.md#order-of-checks: the body must have been readable, then its arguments must be what
 * the method declares.
 */
export class ArgsPipe implements PipeTransform<RpcCall, object> {
  transform(call: RpcCall, { metatype }: ArgumentMetadata): object {
    if (call.bodyError !== undefined) throw new MessagingError(call.bodyError as ErrorCode);
    return parseArgs(metatype as ArgsClass, call.args);
  }
}
