import { DocumentArg, StringArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

const AppIdArg = (isRequired: boolean): PropertyDecorator =>
  StringArg({
    required: isRequired,
    missing: 'invalid_app_id',
    code: 'invalid_app_id',
    notes: 'an app of the workspace',
    read: (id) => (/^A0[0-9A-Z]{9}$/.test(id) ? id : new Fault('must be the id of an app', 'invalid_app_id')),
  });

const MANIFEST = { required: true, notes: 'as `POST /api/apps` takes it' };

/** Arguments of apps.manifest.validate. */
export class AppsManifestValidateArgs {
  @AppIdArg(false) app_id?: string;
  @DocumentArg(MANIFEST) manifest!: unknown;
}

/** Arguments of apps.manifest.create. */
export class AppsManifestCreateArgs {
  @DocumentArg(MANIFEST) manifest!: unknown;
}

/** Arguments of apps.manifest.update. */
export class AppsManifestUpdateArgs {
  @AppIdArg(true) app_id!: string;
  @DocumentArg(MANIFEST) manifest!: unknown;
}

/** Arguments of apps.manifest.export and apps.manifest.delete. */
export class AppsManifestAppArgs {
  @AppIdArg(true) app_id!: string;
}
