import { cleanJson, isJsonObject } from '../wire/text.js';
import { BooleanArg, ErrorOrder, ObjectArg, Rule, StringArg, type RawArgs, type Report } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

const nothing = new Fault('metadata, error or user_auth_required is needed');

function readError(value: Record<string, unknown>): { status: string } | Fault {
  const error = cleanJson(value) as { status?: unknown } | undefined;
  return typeof error?.status === 'string' && error.status !== ''
    ? { ...error, status: error.status }
    : new Fault('must have a status');
}

/** Arguments of entity.presentDetails. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_trigger_id',
  'user_auth_url_missing',
  'invalid_metadata',
  'entity_metadata_does_not_match_trigger',
)
@Rule<EntityPresentDetailsArgs>((args, report: Report, raw: RawArgs) => {
  const isThere = isJsonObject(args.metadata) || raw['error'] || args.user_auth_required;
  if (!isThere) report('metadata', nothing);
})
export class EntityPresentDetailsArgs {
  @StringArg({ required: true, notes: 'of entity_details_requested' })
  trigger_id!: string;

  /** Checked when the trigger is known to be good. */
  @ObjectArg({ notes: 'the work object with its details' })
  metadata?: Record<string, unknown>;

  @ObjectArg({ read: readError, notes: '{status}, with custom_title, custom_message, actions: instead of metadata' })
  error?: { readonly status: string };

  @BooleanArg({ default: false, notes: 'the person has to sign in first: instead of metadata' })
  user_auth_required!: boolean;

  @StringArg({ notes: 'where; needed with user_auth_required' })
  user_auth_url?: string;
}
