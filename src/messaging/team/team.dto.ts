import { ErrorOrder, StringArg } from '../rpc/args/args.js';

/** Arguments of team.info. */
@ErrorOrder('team_not_found')
export class TeamInfoArgs {
  @StringArg({ documentedDefault: 'own', notes: 'id of the workspace' })
  team?: string;

  @StringArg({ documentedDefault: 'own', notes: 'its domain' })
  domain?: string;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}
