import { cleanJson } from '../wire/text.js';
import { ErrorOrder, ObjectArg, StringArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

const EXECUTION = { required: true, notes: 'of function_executed' };

function readOutputs(value: Record<string, unknown>): Record<string, unknown> | Fault {
  return (cleanJson(value) as Record<string, unknown> | undefined) ?? new Fault('must not nest as deep');
}

/** Arguments of functions.completeSuccess. */
@ErrorOrder(
  'invalid_arguments',
  'function_execution_not_found',
  'execution_not_in_running_state',
  'parameter_validation_failed',
)
export class FunctionsCompleteSuccessArgs {
  @StringArg(EXECUTION)
  function_execution_id!: string;

  @ObjectArg({ required: true, read: readOutputs, notes: 'by the names of output_parameters' })
  outputs!: Record<string, unknown>;
}

/** Arguments of functions.completeError. */
@ErrorOrder('invalid_arguments', 'function_execution_not_found', 'execution_not_in_running_state')
export class FunctionsCompleteErrorArgs {
  @StringArg(EXECUTION)
  function_execution_id!: string;

  @StringArg({ required: true, notes: 'what went wrong' })
  error!: string;
}
