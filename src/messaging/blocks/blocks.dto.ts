import { ArrayArg, ErrorOrder, ObjectArg, Rule, StringArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { MAX_BLOCKS_LENGTH } from '../wire/blocks.js';
import { codePointLength } from '../wire/text.js';

const notOne = new Fault('must provide exactly one of `blocks`, `view`, or `message`');
const tooLong = new Fault(`must be at most ${MAX_BLOCKS_LENGTH} characters`);

const short = <T>(value: T): T | Fault =>
  codePointLength(JSON.stringify(value)) > MAX_BLOCKS_LENGTH ? tooLong : value;

/** Arguments of blocks.validate. */
@ErrorOrder('invalid_arguments', 'invalid_blocks', 'invalid_message', 'invalid_view')
@Rule<BlocksValidateArgs>((_args, report, raw) => {
  const given = ['blocks', 'message', 'view'].filter((name) => ![undefined, null, ''].includes(raw[name] as null));
  if (given.length !== 1) report(undefined, notOne);
})
export class BlocksValidateArgs {
  @ArrayArg({ read: short, notes: 'Block Kit' }) blocks?: unknown[];
  @ObjectArg({ read: short, notes: '`blocks` and `attachments` of a message' }) message?: Record<string, unknown>;
  @ObjectArg({ read: short, notes: 'a modal or a home tab' }) view?: Record<string, unknown>;
  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' }) team_id?: string;
}
