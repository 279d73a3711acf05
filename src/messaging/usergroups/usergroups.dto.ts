import { BooleanArg, ErrorOrder, ListArg, StringArg } from '../rpc/args/args.js';

const TEAM = { notes: 'the workspace of a JWT; tokens of apps ignore it' };
const COUNTED = { notes: 'the answer has the counts in any case' };

/** What a group is made of; the service checks it, as other errors come first. */
class UsergroupFields {
  @StringArg({ notes: 'without `@`; default: made of the name' }) handle?: string;
  @StringArg({ keepEmpty: true, notes: 'at most 140 characters' }) description?: string;
  @ListArg({ notes: 'ids of channels' }) channels?: string[];
  @StringArg(TEAM) team_id?: string;
}

/** The codes of a group's fields, in the order in which they are checked. */
const FIELD_ERRORS = [
  'missing_subteam_name',
  'name_too_long',
  'description_too_long',
  'bad_handle',
  'forbidden_handle',
  'name_already_exists',
  'handle_already_exists',
  'invalid_channel_provided',
] as const;

/** Arguments of usergroups.create. */
@ErrorOrder('invalid_arguments', ...FIELD_ERRORS, 'too_many_subteams')
export class UsergroupsCreateArgs extends UsergroupFields {
  @StringArg({ required: true, missing: 'missing_subteam_name', notes: 'at most 255 characters' }) name!: string;
  @BooleanArg(COUNTED) include_count?: boolean;
}

/** Arguments of usergroups.update. */
@ErrorOrder('invalid_arguments', 'no_such_subteam', ...FIELD_ERRORS)
export class UsergroupsUpdateArgs extends UsergroupFields {
  @StringArg({ required: true, notes: 'id of a user group' }) usergroup!: string;
  @StringArg({ keepEmpty: true, notes: 'at most 255 characters' }) name?: string;
  @BooleanArg(COUNTED) include_count?: boolean;
}

/** Which group, and whether the answer has its counts. */
class UsergroupArgs {
  @StringArg({ required: true, notes: 'id of a user group' }) usergroup!: string;
  @BooleanArg() include_count?: boolean;
  @StringArg(TEAM) team_id?: string;
}

/** Arguments of usergroups.disable. */
@ErrorOrder('invalid_arguments', 'no_such_subteam', 'already_disabled')
export class UsergroupsDisableArgs extends UsergroupArgs {}

/** Arguments of usergroups.enable. */
@ErrorOrder('invalid_arguments', 'no_such_subteam', 'already_enabled')
export class UsergroupsEnableArgs extends UsergroupArgs {}

/** Arguments of usergroups.users.update. */
@ErrorOrder('invalid_arguments', 'no_users_provided', 'no_such_subteam', 'invalid_users')
export class UsergroupsUsersUpdateArgs {
  @StringArg({ required: true, notes: 'id of a user group' }) usergroup!: string;
  @ListArg({ required: true, missing: 'no_users_provided', notes: 'ids of all its users from now on' })
  users!: string[];
  @BooleanArg(COUNTED) include_count?: boolean;
  @StringArg(TEAM) team_id?: string;
}

/** Arguments of usergroups.list. */
export class UsergroupsListArgs {
  @BooleanArg() include_count?: boolean;
  @BooleanArg() include_disabled?: boolean;
  @BooleanArg() include_users?: boolean;
  @StringArg(TEAM) team_id?: string;
}

/** Arguments of usergroups.users.list. */
@ErrorOrder('invalid_arguments', 'no_such_subteam')
export class UsergroupsUsersListArgs {
  @StringArg({ required: true, notes: 'id of a user group' }) usergroup!: string;
  @BooleanArg({ notes: 'a disabled group too' }) include_disabled?: boolean;
  @StringArg(TEAM) team_id?: string;
}
