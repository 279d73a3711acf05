import { BooleanArg, StringArg } from '../rpc/args/args.js';

/** Arguments of auth.revoke. */
export class AuthRevokeArgs {
  @BooleanArg({ notes: 'true: nothing happens' })
  test?: boolean;
}

/** Arguments of apps.uninstall. */
export class AppsUninstallArgs {
  @StringArg({ notes: 'of the app of the token' })
  client_id?: string;

  @StringArg({ notes: 'of the same app' })
  client_secret?: string;
}
