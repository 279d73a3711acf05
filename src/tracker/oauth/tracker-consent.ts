import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Call } from '../../kernel/http/calls.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { newHex, newUuid } from '../../kernel/ids/ids.js';
import { ConsentError, ConsentRefusal } from '../../oauth/consent-error.js';
import {
  ConsentProducts,
  type ConsentProduct,
  type ConsentShown,
  type Decision,
  type Granted,
  type TenantShown,
  type Viewer,
} from '../../oauth/consent-product.js';
import { accountsOfOrganization } from '../store/rows-to-join.queries.js';
import type { TrackerConsentRequest } from './authorize-request.js';
import { HELD, PEOPLE } from './oauth-clients.queries.js';
import { OauthClients, type OauthClient, type PersonIn } from './oauth-clients.js';

/** What a code stands for. */
export interface TrackerGrant {
  /** Names the tokens that it brings: a code that is used again ends them. */
  readonly grantId: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly actor: 'user' | 'app';
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly method: 'S256' | 'plain';
}

/** What people see and decide when an application asks for access to their organization. */
@Injectable()
export class TrackerConsent implements ConsentProduct<TrackerConsentRequest> {
  readonly product = 'tracker';
  readonly denied = 'The user denied the request';

  constructor(
    private readonly db: Db,
    private readonly clients: OauthClients,
    products: ConsentProducts,
  ) {
    products.register(this);
  }

  accountsOf(tenant: string): string {
    return accountsOfOrganization(tenant);
  }

  newCode(): string {
    return newHex(40);
  }

  async callOf(request: TrackerConsentRequest): Promise<Omit<Call, 'args' | 'caller'>> {
    return authorizeCall(await this.clientOf(request));
  }

  async idsOf(request: TrackerConsentRequest): Promise<IdSpace | null> {
    return (await this.clientOf(request)).sandbox?.ids ?? null;
  }

  async show(request: TrackerConsentRequest, viewer: Viewer): Promise<ConsentShown> {
    const client = await this.clientOf(request);
    const head = { app: client.name, description: client.description ?? undefined };
    if (viewer.kind === 'account' && viewer.accountId === null) return { ...head, asks: [], tenants: [], notes: [] };
    const places = await this.placesFor(client, request, viewer);
    const [first] = places as [PersonIn, ...PersonIn[]];
    const held = await this.db.read<{ scope: string }>(HELD, [
      first.id,
      client.id,
      request.actor,
      request.actor === 'user' && viewer.kind === 'account' ? first.userId : null,
    ]);
    const scopes = request.scopes.map((name) => ({
      name,
      isNew: held.length > 0 && !held.some(({ scope }) => scope === name),
    }));
    return {
      ...head,
      asks: [{ title: request.actor === 'app' ? 'As itself' : 'On your behalf', scopes }],
      tenants: await Promise.all(places.map((place) => this.tenantShown(place, viewer))),
      notes: request.actor === 'app' ? ['Only an admin can let it act as itself.'] : [],
      person: viewer.kind === 'account' ? (first.userName ?? undefined) : undefined,
    };
  }

  async grant(request: TrackerConsentRequest, viewer: Viewer, { userId, placeId }: Decision): Promise<Granted> {
    const client = await this.clientOf(request);
    const places = await this.placesFor(client, request, viewer);
    const place = placeId === undefined ? places[0] : places.find(({ id }) => id === placeId);
    const sought = viewer.kind === 'picker' ? { userId } : { accountId: viewer.accountId };
    const [member] = place ? await this.clients.places({ id: place.id, ...sought }) : [];
    if (!member?.userId) throw new ConsentError(400, 'user_not_found', 'There is no such person in the workspace.');
    if (request.actor === 'app' && member.admin !== true)
      throw new ConsentRefusal('access_denied', 'Only an admin can authorize an application with actor=app');
    const grant: TrackerGrant = {
      grantId: newUuid(),
      organizationId: member.id,
      userId: member.userId,
      actor: request.actor,
      scopes: request.scopes,
      redirectUri: request.redirectUri,
      challenge: request.challenge ?? null,
      method: request.method,
    };
    return {
      tenantId: member.tenantId,
      homeId: client.tenantId,
      clientId: client.clientId,
      kind: 'install',
      consent: grant,
      time: member.sandbox?.time ?? null,
    };
  }

  /** Whether the application may be authorized where a request asks for it. @throws ConsentRefusal */
  async requirePlace(client: OauthClient, { organization }: TrackerConsentRequest): Promise<void> {
    if (organization === undefined) return;
    const [place] = await this.placesNamed(client, organization, null);
    if (!place) throw new ConsentRefusal('invalid_request', 'There is no workspace with this URL key');
    if (place.id !== client.organizationId && !client.isPublic) throw isPrivate();
  }

  /** The registration, as it is now. */
  private async clientOf({ clientId }: TrackerConsentRequest): Promise<OauthClient> {
    const client = await this.clients.find(clientId);
    if (!client) throw new ConsentError(400, 'invalid_client', 'The application is gone.');
    return client;
  }

  /** The organizations among which somebody may choose, the application's own first. @throws ConsentError, ConsentRefusal */
  private async placesFor(
    client: OauthClient,
    { organization }: TrackerConsentRequest,
    viewer: Viewer,
  ): Promise<PersonIn[]> {
    const accountId = viewer.kind === 'account' ? viewer.accountId : null;
    const isHome = organization === undefined && (viewer.kind === 'picker' || !client.isPublic);
    const places =
      organization === undefined
        ? await this.clients.places({ id: isHome ? client.organizationId : undefined, accountId })
        : await this.placesNamed(client, organization, accountId);
    // one with ids of its own has no applications but its own
    const found = places.filter(({ id, sandbox }) => id === client.organizationId || !sandbox?.ids);
    if (found.some(({ id }) => id !== client.organizationId) && !client.isPublic) throw isPrivate();
    const mine = viewer.kind === 'picker' ? found : found.filter(({ userId }) => userId !== null);
    if (mine.length === 0) throw new ConsentError(403, 'not_a_member', 'You are no member of that workspace.');
    return mine.toSorted((a, b) => Number(b.id === client.organizationId) - Number(a.id === client.organizationId));
  }

  /** The organization with a URL key, which means something in a sandbox with ids of its own for its applications alone. */
  private async placesNamed(client: OauthClient, urlKey: string, accountId: string | null): Promise<PersonIn[]> {
    if (!client.sandbox?.ids) return this.clients.places({ urlKey, accountId });
    const own = await this.clients.places({ id: client.organizationId, accountId });
    return own.filter((place) => place.urlKey === urlKey);
  }

  private async tenantShown({ id, name }: PersonIn, viewer: Viewer): Promise<TenantShown> {
    if (viewer.kind !== 'picker') return { id, label: name, people: [] };
    const people = await this.db.read<{ id: string; name: string; displayName: string }>(PEOPLE, [id]);
    return {
      id,
      label: name,
      people: people.map((one) => ({ id: one.id, label: `${one.name} (${one.displayName})` })),
    };
  }
}

/** Somebody looks at an application's authorize URL, or decides: a call of its home. */
export const authorizeCall = ({ tenantId, sandbox }: OauthClient): Omit<Call, 'args' | 'caller'> => ({
  tenantId,
  product: 'tracker',
  method: 'oauth/authorize',
  journal: sandbox?.journal ?? false,
  hasFaults: sandbox?.hasFaults ?? false,
});

const isPrivate = (): ConsentRefusal =>
  new ConsentRefusal('access_denied', 'The application is private to the workspace that registered it');
