import 'reflect-metadata';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { createApp, listen } from '../../../src/app.js';
import { Accounts } from '../../../src/auth/accounts.js';
import { ENTITIES } from '../../../src/entities.js';
import { parseSettings } from '../../../src/kernel/config/settings.js';
import { Db } from '../../../src/kernel/database/db.js';
import { openStore } from '../../../src/kernel/database/store.js';
import { newUuid } from '../../../src/kernel/ids/ids.js';
import { Log } from '../../../src/kernel/log/log.js';
import { Tenant } from '../../../src/kernel/tenancy/tenant.entity.js';
import { TrackerSetup } from '../../../src/tracker/provisioning/setup.js';
import { insertUnlessTaken } from '../../../src/kernel/database/insert-unless-taken.js';
import { providersAmong } from '../../../src/tracker/entity/providers.js';
import { TrackerModule } from '../../../src/tracker/tracker.module.js';
import * as folder from './index.js';

// the server with this folder added, as a line in src/tracker/entities.ts would: its table, its resolver, its service
const { Milestone, MILESTONES } = folder;
const settings = parseSettings(process.env);
const store = await openStore(settings, [...ENTITIES, Milestone]);
await store.dataSource.query(MILESTONES);
const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, TrackerModule) as unknown[];
Reflect.defineMetadata(MODULE_METADATA.PROVIDERS, [...providers, ...providersAmong(folder)], TrackerModule);

const app = await createApp(settings, store, Log.create(settings));
const port = await listen(app, settings);
process.on('disconnect', () => process.exit());

// an organization of Ada, and a team of Bob with a milestone, which Ada does not see
const [setup, accounts] = [app.get(TrackerSetup, { strict: false }), app.get(Accounts, { strict: false })];
const ready = await app.get(Db).write(async (tx) => {
  const tenant = await tx.sql.save(new Tenant());
  const made = await setup.createOrganization(tx, { tenantId: tenant.id, name: 'Toys', urlKey: 'toys' });
  const organizationId = made?.id as string;
  const person = async (name: string) => {
    const email = `${name}@toys.example`;
    const accountId = (await accounts.create(tx, { email, passwordHash: null, realName: name })) as string;
    const { id } = await setup.addUser(tx, { organizationId, accountId, name, email });
    return { id, key: (await setup.createApiKey(tx, { organizationId, userId: id, label: name }))?.token };
  };
  const [ada, bob] = [await person('ada'), await person('bob')];
  const team = await setup.createTeam(tx, { organizationId, key: 'ENG', name: 'Engineering' }, ada.id);
  const hidden = await setup.createTeam(tx, { organizationId, key: 'SEC', name: 'Secret', private: true }, bob.id);
  const teamId = hidden?.id as string;
  const secret = await insertUnlessTaken(tx, Milestone, {
    id: newUuid(),
    organizationId,
    teamId,
    name: 'Secret launch',
  });
  return { keys: { ada: ada.key, bob: bob.key }, teamId: team?.id, hiddenTeamId: teamId, secretId: secret?.id };
});
process.send?.({ port, ...ready });
