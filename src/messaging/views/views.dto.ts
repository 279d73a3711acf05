import { checkView, type ViewContent, type ViewType } from '../wire/view-content.js';
import { DocumentArg, ErrorOrder, Rule, StringArg, type Report } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

const VIEW_NOTES =
  'modal: title, blocks (1–100), submit with input blocks; also close, private_metadata, callback_id, …';

/** What the arguments of the methods have in common: the view, checked after all missing arguments were reported. */
interface WithView {
  view?: unknown;
  content?: ViewContent;
}

function readContent(args: WithView, report: Report, type: ViewType): void {
  if (args.view === undefined) return;
  const result = checkView(args.view, type);
  if ('view' in result) args.content = result.view;
  else report(undefined, new Fault('has a fault', undefined, [result.fault]));
}

/** Arguments of views.open and views.push. */
class TriggeredArgs {
  @StringArg({ required: true, aliases: ['interactivity_pointer'], notes: 'of a command, an action or a shortcut' })
  trigger_id!: string;

  @DocumentArg({ required: true, notes: VIEW_NOTES })
  view!: unknown;

  content!: ViewContent;
}

const OF_TRIGGER = [
  'invalid_arguments',
  'view_too_large',
  'invalid_trigger_id',
  'expired_trigger_id',
  'exchanged_trigger_id',
  'duplicate_external_id',
] as const;

@ErrorOrder(...OF_TRIGGER)
@Rule<ViewsOpenArgs>((args, report) => readContent(args, report, 'modal'))
export class ViewsOpenArgs extends TriggeredArgs {}

@ErrorOrder(...OF_TRIGGER, 'not_found', 'push_limit_reached')
@Rule<ViewsPushArgs>((args, report) => readContent(args, report, 'modal'))
export class ViewsPushArgs extends TriggeredArgs {}

/** Arguments of views.update. */
@ErrorOrder('invalid_arguments', 'view_too_large', 'not_found', 'hash_conflict', 'duplicate_external_id')
@Rule<ViewsUpdateArgs>((args, report) => {
  if (args.view_id === undefined && args.external_id === undefined) {
    report('view_id', new Fault('missing required field'));
  }
  readContent(args, report, 'modal');
})
export class ViewsUpdateArgs {
  @DocumentArg({ required: true, notes: VIEW_NOTES })
  view!: unknown;

  @StringArg({ notes: 'this or external_id is required' })
  view_id?: string;

  @StringArg({ max: 255 })
  external_id?: string;

  @StringArg({ notes: 'refused unless it is the current one' })
  hash?: string;

  content!: ViewContent;
}

/** Arguments of views.publish. */
@ErrorOrder('invalid_arguments', 'view_too_large', 'not_enabled', 'hash_conflict', 'duplicate_external_id')
@Rule<ViewsPublishArgs>((args, report) => readContent(args, report, 'home'))
export class ViewsPublishArgs {
  @StringArg({ required: true })
  user_id!: string;

  @DocumentArg({ required: true, notes: 'home: blocks (1–100), private_metadata, callback_id, external_id' })
  view!: unknown;

  @StringArg({ notes: 'refused unless it is the current one' })
  hash?: string;

  content!: ViewContent;
}
