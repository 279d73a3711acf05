import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { ownIds, seenId } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newAlphanumeric, newHex, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import { Authorizations } from '../../tracker/oauth/authorizations.js';
import { OauthApplication } from '../../tracker/store/oauth-application.entity.js';
import type { SeededApplication } from './known-objects.js';
import type { TrackerSeedContext } from './known-tracker.js';
import type { SeedApplication } from './seed-types.js';

/** Applications of OAuth of a document, and who has authorized them. */
@Injectable()
export class SeedApplications {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly authorizations: Authorizations,
  ) {}

  /** One with the name of an existing one is refused. @throws RestError 409 id_taken, name_taken, with the path */
  async add(
    tx: Tx,
    context: TrackerSeedContext,
    seeds: readonly SeedApplication[],
  ): Promise<Record<string, SeededApplication>> {
    const made: Record<string, SeededApplication> = {};
    for (const seed of seeds) made[seed.name] = await this.addOne(tx, context, seed);
    return made;
  }

  private async addOne(
    tx: Tx,
    { organizationId, creatorId, userId }: TrackerSeedContext,
    seed: SeedApplication,
  ): Promise<SeededApplication> {
    const { name, path, installed } = seed;
    if (await tx.sql.existsBy(OauthApplication, { organizationId, name }))
      throw new RestError(409, 'name_taken', undefined, `${path}.name`);
    const clientSecret = seed.clientSecret ?? newHex(64);
    const webhookSecret = seed.webhookUrl === undefined ? null : `svc_wh_${newAlphanumeric(40)}`;
    const now = this.clock.now();
    const values = {
      id: newUuid(),
      organizationId,
      clientId: seed.clientId ?? newHex(32),
      clientSecretHash: sha256Hex(seenId(clientSecret)),
      name,
      redirectUris: [...seed.redirectUris],
      hasClientCredentials: seed.hasClientCredentials,
      isPublic: seed.isPublic,
      webhookUrl: seed.webhookUrl ?? null,
      webhookEnabled: seed.webhookUrl !== undefined,
      webhookResourceTypes: [...seed.resourceTypes],
      webhookSecret: webhookSecret === null ? null : this.db.secrets.seal(webhookSecret),
      creatorId,
      createdAt: now,
      updatedAt: now,
    };
    const application =
      (await insertUnlessTaken(tx, OauthApplication, values)) ??
      // a document with ids of its own may be made many times
      (ownIds() && (await insertUnlessTaken(tx, OauthApplication, { ...values, clientId: newHex(32) })));
    if (!application) throw new RestError(409, 'id_taken', undefined, `${path}.client_id`);
    const shown = { ...shownApplication({ ...application, clientSecret }), webhook_secret: webhookSecret };
    if (!installed) return shown;
    const person = installed.as === undefined ? creatorId : (userId(installed.as) as string);
    const { actor, scopes } = installed;
    const consented = { organizationId, userId: person, actor, scopes, isSeed: true };
    return { ...shown, ...(await this.open(tx, application, consented)) };
  }

  /** Authorizes an application as somebody would, with new tokens. */
  async open(
    tx: Tx,
    application: OauthApplication,
    consented: Parameters<Authorizations['authorize']>[2],
  ): Promise<Pick<SeededApplication, 'access_token' | 'refresh_token' | 'app_user_id'>> {
    const authorized = await this.authorizations.authorize(tx, application, consented);
    if (!authorized) throw new Error('an application of an organization that does not exist');
    const { authorization } = authorized;
    const tokens = await this.authorizations.issue(tx, authorization, consented.scopes, {
      grantId: newUuid(),
      isPublic: false,
    });
    return {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token ?? null,
      app_user_id: authorization.actor === 'app' ? authorization.userId : null,
    };
  }
}

/** An application that nobody has authorized. */
export const shownApplication = ({
  id,
  clientId,
  clientSecret,
}: {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}): SeededApplication => ({
  id,
  client_id: clientId,
  client_secret: clientSecret,
  webhook_secret: null,
  access_token: null,
  refresh_token: null,
  app_user_id: null,
});
