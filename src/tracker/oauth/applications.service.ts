import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newAlphanumeric, newHex, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import { User } from '../store/user.entity.js';
import { isUuid } from '../values/uuid.js';
import { ApplicationWebhooks } from './application-webhooks.js';
import type { OauthTenant } from '../events/application-events.js';
import type { ChangeApplicationBody, CreateApplicationBody } from './applications.dto.js';
import { AuthorizationEnds } from './authorization-ends.js';
import { Authorizations } from './authorizations.js';
import { ORGANIZATIONS_OF_APPLICATION } from './authorizations.queries.js';
import { OauthApplication } from '../store/oauth-application.entity.js';
import { OauthAuthorization } from './oauth-authorization.entity.js';

/** How many an organization may register. */
const MAX_APPLICATIONS = 100;

/** Secrets that are shown once, or where their owner may see them. */
export interface ApplicationSecrets {
  readonly clientSecret: string;
  readonly webhookSecret: string | null;
}

/** Who has an application in an organization. */
export interface ShownAuthorization {
  readonly id: string;
  readonly actor: 'user' | 'app';
  readonly scopes: readonly string[];
  readonly userId: string;
  readonly userName: string | null;
  readonly grantedById: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const newClientSecret = (): string => newHex(64);
export const newWebhookSecret = (): string => `svc_wh_${newAlphanumeric(40)}`;

/** Applications that an organization registers (docs/reference/tracker-oauth.md#applications), for its admins. */
@Injectable()
export class ApplicationsService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly hooks: ApplicationWebhooks,
    private readonly authorizations: Authorizations,
    private readonly ends: AuthorizationEnds,
  ) {}

  /** @throws RestError 409 too_many_applications */
  async create(
    { organizationId, userId }: Viewer,
    body: CreateApplicationBody,
  ): Promise<ApplicationSecrets & { application: OauthApplication }> {
    const clientSecret = newClientSecret();
    const webhookSecret = typeof body.webhookUrl === 'string' ? newWebhookSecret() : null;
    const now = this.clock.now();
    const application = {
      description: null,
      developer: null,
      developerUrl: null,
      imageUrl: null,
      webhookUrl: null,
      hasClientCredentials: false,
      isPublic: false,
      isDefault: false,
      webhookResourceTypes: [],
      webhookEnabled: typeof body.webhookUrl === 'string',
      ...valuesOf(body),
      id: newUuid(),
      organizationId,
      clientId: newHex(32),
      clientSecretHash: sha256Hex(clientSecret),
      webhookSecret: webhookSecret === null ? null : this.db.secrets.seal(webhookSecret),
      creatorId: userId,
      createdAt: now,
      updatedAt: now,
    } as OauthApplication;
    await this.db.write(async (tx) => {
      // of many at once none comes above the limit
      await this.lockAll(tx, organizationId);
      if ((await tx.sql.countBy(OauthApplication, { organizationId })) >= MAX_APPLICATIONS)
        throw new RestError(409, 'too_many_applications');
      await tx.sql.insert(OauthApplication, application);
    });
    return { application, clientSecret, webhookSecret };
  }

  /** The organization's own, oldest first. */
  list({ organizationId }: Viewer): Promise<OauthApplication[]> {
    return this.db.load((entities) =>
      entities.find(OauthApplication, { where: { organizationId }, order: { createdAt: 'ASC', id: 'ASC' } }),
    );
  }

  /** @throws RestError 404 application_not_found */
  async own({ organizationId }: Viewer, id: string): Promise<OauthApplication> {
    const found = isUuid(id)
      ? await this.db.load((entities) => entities.findOneBy(OauthApplication, { id: id.toLowerCase(), organizationId }))
      : null;
    if (!found) throw notFound();
    return found;
  }

  /** Its webhooks everywhere change with it. @throws RestError 404 application_not_found */
  async change(viewer: Viewer, id: string, body: ChangeApplicationBody): Promise<OauthApplication> {
    const before = await this.own(viewer, id);
    const values: Partial<OauthApplication> = { ...valuesOf(body), updatedAt: this.clock.now() };
    if (typeof values.webhookUrl === 'string' && before.webhookSecret === null)
      values.webhookSecret = this.db.secrets.seal(newWebhookSecret());
    if (values.webhookUrl !== undefined && body.webhookEnabled === undefined)
      values.webhookEnabled = values.webhookUrl !== null && (before.webhookUrl === null || before.webhookEnabled);
    return this.put({ ...before, ...values }, values);
  }

  /** All its tokens end, and it is told so everywhere. @throws RestError 404 application_not_found */
  async remove(viewer: Viewer, id: string): Promise<void> {
    const { id: applicationId } = await this.own(viewer, id);
    await this.ends.endEverywhere(applicationId);
    await this.db.write((tx) => tx.sql.delete(OauthApplication, { id: applicationId }));
    // what was authorized meanwhile
    await this.ends.endEverywhere(applicationId);
  }

  /** The old one stops at once, and so does what it got by itself. @throws RestError 404 application_not_found */
  async rotateSecret(viewer: Viewer, id: string): Promise<string> {
    const application = await this.own(viewer, id);
    const clientSecret = newClientSecret();
    await this.db.write(async (tx) => {
      const values = { clientSecretHash: sha256Hex(clientSecret), updatedAt: this.clock.now() };
      await tx.sql.update(OauthApplication, { id: application.id }, values);
      const where = {
        applicationId: application.id,
        organizationId: application.organizationId,
        actor: 'app',
      } as const;
      for (const { id: own } of await tx.sql.findBy(OauthAuthorization, where))
        await this.authorizations.endClientTokens(tx, own);
    });
    return clientSecret;
  }

  /** Deliveries from now on are signed with it, everywhere. @throws RestError 404 application_not_found */
  async rotateWebhookSecret(viewer: Viewer, id: string): Promise<string> {
    const application = await this.own(viewer, id);
    const secret = newWebhookSecret();
    const values = { webhookSecret: this.db.secrets.seal(secret), updatedAt: this.clock.now() };
    await this.put({ ...application, ...values }, values);
    return secret;
  }

  /** Who has an application in the caller's organization. @throws RestError 404 application_not_found */
  async authorizationsOf({ organizationId }: Viewer, id: string): Promise<ShownAuthorization[]> {
    if (!isUuid(id)) throw notFound();
    const applicationId = id.toLowerCase();
    const found = await this.db.load((entities) =>
      entities.find(OauthAuthorization, {
        where: { applicationId, organizationId },
        order: { createdAt: 'ASC', id: 'ASC' },
        take: 1_000,
      }),
    );
    const isOwn = await this.db.load((entities) =>
      entities.existsBy(OauthApplication, { id: applicationId, organizationId }),
    );
    if (found.length === 0 && !isOwn) throw notFound();
    const live = found.filter(({ endedAt }) => endedAt === null);
    const users = await this.db.load((entities) => entities.findBy(User, { id: In(live.map(({ userId }) => userId)) }));
    const names = new Map(users.map((user) => [user.id, user.name]));
    return live.map(({ id: authorizationId, actor, scopes, userId, grantedById, createdAt, updatedAt }) => ({
      id: authorizationId,
      actor,
      scopes,
      userId,
      userName: names.get(userId) ?? null,
      grantedById,
      createdAt,
      updatedAt,
    }));
  }

  /** Ends it in the caller's organization. @throws RestError 404 application_not_found */
  async deauthorize({ organizationId }: Viewer, id: string): Promise<void> {
    const ended = isUuid(id) && (await this.ends.end({ organizationId, applicationId: id.toLowerCase() }));
    if (!ended) throw notFound();
  }

  /** Values with what follows from them in each organization. */
  private async put(after: OauthApplication, values: Partial<OauthApplication>): Promise<OauthApplication> {
    const organizations = await this.db.read<OauthTenant & Record<string, unknown>>(ORGANIZATIONS_OF_APPLICATION, [
      after.id,
    ]);
    await this.db.write(async (tx) => {
      await tx.sql.update(OauthApplication, { id: after.id }, values);
      for (const organization of organizations) await this.hooks.put(tx, organization, after);
    });
    return after;
  }

  private async lockAll(tx: Tx, organizationId: string): Promise<void> {
    await tx.sql.find(OauthApplication, {
      where: { organizationId },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }
}

const notFound = (): RestError => new RestError(404, 'application_not_found');

/** The columns that a body names. */
function valuesOf({ grantTypes, distribution, ...plain }: ChangeApplicationBody): Partial<OauthApplication> {
  const given = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(grantTypes && { hasClientCredentials: grantTypes.includes('client_credentials') }),
    ...(distribution && { isPublic: distribution === 'public' }),
  };
}
