import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { type ArgsClass } from './args/args.js';
import { ArgumentError, parseArgs } from './args/parse-args.js';
import { MAX_ARGUMENTS } from './args/read-body.js';
import type { RpcCall } from './rpc-call.js';

const TOO_MANY = `[ERROR] more than ${MAX_ARGUMENTS} arguments`;

/**
 * Step 6 of docs/reference/chat.md#order-of-checks: the body must have been readable, then its arguments must be what
 * the method declares.
 */
export class ArgsPipe implements PipeTransform<RpcCall, object> {
  transform(call: RpcCall, { metatype }: ArgumentMetadata): object {
    const { bodyError } = call;
    if (bodyError === 'invalid_arguments') throw new ArgumentError(bodyError, [TOO_MANY]);
    if (bodyError !== undefined) throw new MessagingError(bodyError as ErrorCode);
    return parseArgs(metatype as ArgsClass, call.args);
  }
}
