import { ErrorOrder, StringArg } from '../rpc/args/args.js';

/** Arguments of bots.info. */
@ErrorOrder('missing_argument', 'bot_not_found')
export class BotsInfoArgs {
  @StringArg({ documentedDefault: "the caller's own", notes: 'bot id, or the id of an incoming webhook' })
  bot?: string;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}
