import { CursorArg, ErrorOrder, LimitArg, StringArg } from '../rpc/args/args.js';

/** Arguments of apps.event.authorizations.list. */
@ErrorOrder('invalid_event_context', 'invalid_limit', 'invalid_cursor')
export class AppsEventAuthorizationsListArgs {
  @StringArg({
    required: true,
    missing: 'invalid_event_context',
    code: 'invalid_event_context',
    notes: 'of an envelope',
  })
  event_context!: string;

  @LimitArg({ default: 100, max: 1000, notes: 'larger is clamped' })
  limit!: number;

  @CursorArg('event_authorization')
  cursor?: string;
}
