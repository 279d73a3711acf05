import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import type { Call } from '../../kernel/http/calls.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { newDigits, newHex } from '../../kernel/ids/ids.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { ConsentError } from '../../oauth/consent-error.js';
import {
  ConsentProducts,
  type Choice,
  type ConsentProduct,
  type ConsentShown,
  type Decision,
  type Granted,
  type TenantShown,
  type Viewer,
} from '../../oauth/consent-product.js';
import type { ChatConsentRequest } from './authorize-request.js';
import { CHANNELS, GRANTED, PEOPLE } from './clients.queries.js';
import { Clients, hasPkce, rotates, type Client, type WorkspaceRow } from './clients.js';
import { CommandsLeftOut } from './commands-left-out.js';
import { isDesktop } from '../../kernel/http/redirect-urls.js';
import { accountsOfWorkspace } from '../store/rows-to-join.queries.js';

/** What a code stands for. */
export interface ChatGrant {
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
  readonly bot: readonly string[];
  readonly user: readonly string[];
  readonly channelId: string | null;
  /** As sent to the authorize URL, and the one that was used. */
  readonly sentRedirectUri: string | null;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly nonce: string | null;
  readonly isDesktop: boolean;
  readonly rotates: boolean;
  /** When somebody consented, in seconds: of real time, or of the sandbox's where that signs. */
  readonly at: number;
}

const WEBHOOK = 'incoming-webhook';
const labelOf = (name: string | null, realName: string | null): string =>
  realName && realName !== name ? `${realName} (${name ?? ''})` : (name ?? '');

/** What people see and decide when an app of the chat asks to be installed, or to sign them in. */
@Injectable()
export class ChatConsent implements ConsentProduct<ChatConsentRequest> {
  readonly product = 'chat';

  constructor(
    private readonly db: Db,
    private readonly clients: Clients,
    private readonly clock: Clock,
    private readonly leftOut: CommandsLeftOut,
    products: ConsentProducts,
  ) {
    products.register(this);
  }

  accountsOf(tenant: string): string {
    return accountsOfWorkspace(tenant);
  }

  newCode(): string {
    return `${newDigits(12)}.${newDigits(13)}.${newHex(64)}`;
  }

  async callOf(request: ChatConsentRequest): Promise<Omit<Call, 'args' | 'caller'>> {
    return authorizeCall(await this.clientOf(request), request.kind);
  }

  async idsOf(request: ChatConsentRequest): Promise<IdSpace | null> {
    return (await this.clientOf(request)).sandbox?.ids ?? null;
  }

  async show(request: ChatConsentRequest, viewer: Viewer): Promise<ConsentShown> {
    const client = await this.clientOf(request);
    const description = client.manifest['display_information'] as { description?: unknown } | undefined;
    const head = {
      app: client.name,
      description: typeof description?.description === 'string' ? description.description : undefined,
    };
    if (viewer.kind === 'account' && viewer.accountId === null) {
      // what is wrong with the request is said to strangers, too
      await this.workspaceNamed(client, request, null);
      return { ...head, asks: [], tenants: [], notes: [] };
    }
    const rows = await this.workspacesFor(client, request, viewer);
    const workspaces = await Promise.all(rows.map((row) => this.workspaceShown(row, request, viewer)));
    const [first] = rows as [WorkspaceRow, ...WorkspaceRow[]];
    const notes = request.kind === 'install' ? await this.leftOut.of(client, rows) : [];
    const person = viewer.kind === 'account' ? labelOf(first.userName, first.realName) : undefined;
    return { ...head, asks: await this.asks(request, first, client), tenants: workspaces, notes, person };
  }

  async grant(request: ChatConsentRequest, viewer: Viewer, decision: Decision): Promise<Granted> {
    const client = await this.clientOf(request);
    const rows = await this.workspacesFor(client, request, {
      ...viewer,
      ...(viewer.kind === 'account' && { accountId: decision.userId }),
    });
    const workspace = decision.placeId === undefined ? rows[0] : rows.find(({ id }) => id === decision.placeId);
    const member = workspace && (await this.clients.workspace(workspace.id, decision.userId));
    if (!member?.userId) throw new ConsentError(400, 'user_not_found', 'There is no such person in the workspace.');
    const channelId = request.bot.includes(WEBHOOK) ? await this.channelFor(member.id, viewer, decision) : null;
    const sandbox = this.clients.sandboxOf(member);
    const time = sandbox?.time ?? null;
    const grant: ChatGrant = {
      workspaceId: member.id,
      appId: client.id,
      userId: decision.userId,
      bot: request.bot,
      user: request.user,
      channelId,
      sentRedirectUri: request.sentRedirectUri ?? null,
      redirectUri: request.redirectUri,
      challenge: request.challenge ?? null,
      nonce: request.nonce ?? null,
      isDesktop: isDesktop(request.redirectUri, hasPkce(client)),
      rotates: rotates(client),
      at: signingSeconds(this.clock, sandbox),
    };
    return {
      tenantId: member.tenantId,
      homeId: client.tenantId,
      clientId: client.clientId,
      kind: request.kind,
      consent: grant,
      time,
    };
  }

  /** The registration, as it is now. */
  private async clientOf(request: ChatConsentRequest): Promise<Client> {
    const client = await this.clients.find(request.clientId);
    if (!client) throw new ConsentError(400, 'invalid_client_id', 'The app is gone.');
    return client;
  }

  /** The workspaces among which somebody may choose. @throws ConsentError */
  private async workspacesFor(client: Client, request: ChatConsentRequest, viewer: Viewer): Promise<WorkspaceRow[]> {
    const accountId = viewer.kind === 'account' ? viewer.accountId : null;
    const isHome = viewer.kind === 'picker' || !client.isDistributed;
    const workspace = await this.workspaceNamed(client, request, accountId, isHome);
    if (!workspace) {
      const mine = (await this.clients.workspacesOf(accountId as string)).filter((one) => this.isOpen(one, client));
      if (mine.length === 0) throw notAMember();
      return [...mine].sort((a, b) => Number(b.id === client.workspaceId) - Number(a.id === client.workspaceId));
    }
    if (viewer.kind === 'account' && !workspace.userId) throw notAMember();
    return [workspace];
  }

  /**
   * The workspace asked for; null: none is.
   * @param isHome whether a request that names none is for the app's home
   * @throws ConsentError team_not_found, invalid_team_for_non_distributed_app
   */
  private async workspaceNamed(
    client: Client,
    { team }: ChatConsentRequest,
    accountId: string | null,
    isHome = false,
  ): Promise<WorkspaceRow | null> {
    // an app of a sandbox with ids of its own is for its own workspace, by either of its ids
    const named =
      team !== undefined && client.sandbox?.ids?.inside(team) === client.workspaceId ? client.workspaceId : team;
    const wanted = named ?? (isHome ? client.workspaceId : undefined);
    if (wanted === undefined) return null;
    const workspace = await this.clients.workspace(wanted, accountId);
    if (!workspace || !this.isOpen(workspace, client))
      throw new ConsentError(400, 'team_not_found', 'There is no such workspace.');
    if (wanted !== client.workspaceId && !client.isDistributed) {
      throw new ConsentError(400, 'invalid_team_for_non_distributed_app', 'The app is for its own workspace alone.');
    }
    return workspace;
  }

  /** A workspace with ids of its own has no apps but its own, and they are nowhere else. */
  private isOpen(workspace: WorkspaceRow, client: Client): boolean {
    return workspace.id === client.workspaceId || (!client.sandbox?.ids && !this.clients.sandboxOf(workspace)?.ids);
  }

  private async workspaceShown(row: WorkspaceRow, request: ChatConsentRequest, viewer: Viewer): Promise<TenantShown> {
    const people =
      viewer.kind === 'picker'
        ? await this.db.read<{ id: string; name: string; realName: string | null }>(PEOPLE, [row.id])
        : [];
    return {
      id: row.id,
      label: row.name,
      people: people.map(({ id, name, realName }) => ({ id, label: labelOf(name, realName) })),
      ...(request.bot.includes(WEBHOOK) ? { channels: await this.channels(row.id, row.userId) } : {}),
    };
  }

  private async channels(workspaceId: string, userId: string | null): Promise<Choice[]> {
    const rows = await this.db.read<{ id: string; name: string }>(CHANNELS, [workspaceId, userId]);
    return rows.map(({ id, name }) => ({ id, label: `#${name}` }));
  }

  private async channelFor(workspaceId: string, viewer: Viewer, { channelId, userId }: Decision): Promise<string> {
    const offered = await this.channels(workspaceId, viewer.kind === 'account' ? userId : null);
    const chosen = channelId === undefined ? offered[0] : offered.find(({ id }) => id === channelId);
    if (!chosen) throw new ConsentError(400, 'channel_not_found', 'There is no such channel to post to.');
    return chosen.id;
  }

  private async asks(
    request: ChatConsentRequest,
    workspace: WorkspaceRow,
    client: Client,
  ): Promise<ConsentShown['asks']> {
    if (request.kind === 'sign-in') {
      return [{ title: 'To know who you are', scopes: request.user.map((name) => ({ name, isNew: false })) }];
    }
    const [before] = await this.db.read<{ botScopes: string[]; botState: string; userScopes: string[] }>(GRANTED, [
      workspace.id,
      client.id,
    ]);
    const marked = (scopes: readonly string[], held: readonly string[] | undefined) =>
      scopes.map((name) => ({ name, isNew: held !== undefined && !held.includes(name) }));
    const bot = before?.botState === 'live' ? before.botScopes : undefined;
    const user = before && before.userScopes.length > 0 ? before.userScopes : undefined;
    return [
      { title: 'As a bot', scopes: marked(request.bot, bot) },
      { title: 'On your behalf', scopes: marked(request.user, user) },
    ];
  }
}

/** Somebody looks at an app's authorize URL, or decides: a call of the app's home. */
export const authorizeCall = (
  { tenantId, sandbox }: Client,
  kind: ChatConsentRequest['kind'],
): Omit<Call, 'args' | 'caller'> => ({
  tenantId,
  product: 'chat',
  method: kind === 'install' ? 'oauth.v2.authorize' : 'openid.connect.authorize',
  journal: sandbox?.journal ?? false,
  hasFaults: sandbox?.hasFaults ?? false,
});

/** Receivers check times against their own clocks, so they are real unless a test wants the sandbox's. */
export const signingSeconds = (clock: Clock, sandbox: SandboxFlags | null): number =>
  sandbox?.signWith === 'sandbox'
    ? Math.floor(clock.within(sandbox.time, () => clock.nowMicros()) / 1e6)
    : Math.floor(clock.wallMs() / 1000);

const notAMember = (): ConsentError => new ConsentError(403, 'not_a_member', 'You are no member of that workspace.');
