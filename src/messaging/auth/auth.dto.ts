import { BooleanArg, CursorArg, ErrorOrder, LimitArg } from '../rpc/args/args.js';

/** auth.test takes no arguments. */
export class AuthTestArgs {}

/** Arguments of auth.teams.list. */
@ErrorOrder('invalid_limit', 'invalid_cursor')
export class AuthTeamsListArgs {
  @LimitArg({ default: 100, max: 1000, notes: 'larger is clamped' })
  limit!: number;

  /** The key in the cursor. */
  @CursorArg('auth_team')
  cursor?: string;

  @BooleanArg({ default: false, notes: 'with `icon`, as in team.info' })
  include_icon!: boolean;
}
