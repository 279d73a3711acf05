import { Controller } from '@nestjs/common';
import { BooleanArg, ErrorOrder, StringArg } from '../rpc/args/args.js';
import { RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MessagingError } from '../wire/codes.js';

const NO_EFFECT = { notes: 'accepted, no effect' };

/** Arguments of usergroups.list. */
export class UsergroupsListArgs {
  @BooleanArg(NO_EFFECT) include_count?: boolean;
  @BooleanArg(NO_EFFECT) include_disabled?: boolean;
  @BooleanArg(NO_EFFECT) include_users?: boolean;
  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' }) team_id?: string;
}

/** Arguments of usergroups.users.list. */
@ErrorOrder('invalid_arguments', 'no_such_subteam')
export class UsergroupsUsersListArgs {
  @StringArg({ required: true, notes: 'id of a user group' }) usergroup!: string;
  @BooleanArg(NO_EFFECT) include_disabled?: boolean;
  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' }) team_id?: string;
}

/** There are no user groups: bots load the list when they start, and accept an empty one. */
@Controller()
export class UsergroupsController {
  @RpcMethod('usergroups.list', { core: false })
  @RequireScope('usergroups:read')
  @RateTier(2)
  list(@RpcArgs() _args: UsergroupsListArgs): Answer {
    return { usergroups: [] };
  }

  @RpcMethod('usergroups.users.list', { core: false })
  @RequireScope('usergroups:read')
  @RateTier(2)
  users(@RpcArgs() _args: UsergroupsUsersListArgs): Answer {
    throw new MessagingError('no_such_subteam');
  }
}
