import { ErrorOrder, ObjectArg, StringArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { checkDialog, type DialogContent } from '../wire/dialog-content.js';

function readDialog(value: Record<string, unknown>): DialogContent | Fault {
  const checked = checkDialog(value);
  return 'dialog' in checked ? checked.dialog : new Fault('has a fault', 'validation_errors', checked.messages);
}

/** Arguments of dialog.open. */
@ErrorOrder(
  'missing_trigger',
  'missing_dialog',
  'validation_errors',
  'invalid_trigger',
  'trigger_expired',
  'trigger_exchanged',
)
export class DialogOpenArgs {
  @StringArg({ required: true, missing: 'missing_trigger', notes: 'of a command, an action or a shortcut' })
  trigger_id!: string;

  @ObjectArg({
    required: true,
    missing: 'missing_dialog',
    code: 'validation_errors',
    read: readDialog,
    notes: 'title, callback_id, 1 to 10 elements; also submit_label, state, notify_on_cancel',
  })
  dialog!: DialogContent;
}
