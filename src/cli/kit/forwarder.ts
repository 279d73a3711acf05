import { createHmac, randomBytes } from 'node:crypto';
import type { Api } from './api.js';
import type { Entry } from './entry-line.js';
import { OperatorError } from '../ending.js';
import { green, red, say } from './output.js';

/** How long a local receiver may take, in milliseconds; then the attempt has failed. There are no retries. */
const TIMEOUT_MS = 3_000;

interface ListedApp {
  id: string;
  app_id?: string;
  name: string;
  is_default?: boolean;
  bot_user_id?: string;
  credentials: Credentials;
}

interface Credentials {
  signing_secret: string;
  verification_token: string;
}

interface Destination {
  appId: string;
  name: string;
  botUserId: string | undefined;
  credentials: Credentials;
  /** The kinds it subscribes to; null: all. */
  kinds: ReadonlySet<string> | null;
}

/**
 * Posts the events of a sandbox to a local address as the server would: the same envelope, signed with the app's own
 * secret, which stays in memory. First attempts only; redirects are not followed.
 */
export class Forwarder {
  private constructor(
    private readonly url: string,
    private readonly teamId: string,
    private readonly destinations: readonly Destination[],
  ) {}

  get names(): string[] {
    return this.destinations.map(({ name }) => name);
  }

  static async open(
    api: Api,
    { sandbox, app, url }: { sandbox: string | undefined; app: string | undefined; url: string },
  ): Promise<Forwarder> {
    const { team_id: teamId } = await api.call<{ team_id: string }>('GET', api.sandbox(sandbox));
    // the secrets of apps are shown to an admin of the workspace
    const { token } = await api.actor(sandbox);
    const { apps } = await api.call<{ apps: ListedApp[] }>('GET', '/apps', { token, query: { team_id: teamId } });
    const { subscriptions } = await api.call<{ subscriptions: { app_id: string; events: string[] }[] }>(
      'GET',
      '/events/subscriptions',
      { token, query: { team_id: teamId } },
    );
    const idOf = (row: ListedApp): string => row.app_id ?? row.id;
    const chosen = app === undefined ? undefined : apps.find((row) => idOf(row) === app || row.name === app);
    if (app !== undefined && !chosen) throw new OperatorError(`this sandbox has no app ${app}`);
    const subscribed = apps.filter((row) => subscriptions.some((each) => each.app_id === idOf(row)));
    const fallback = apps.find((row) => row.is_default) ?? apps[0];
    const targets = chosen ? [chosen] : subscribed.length > 0 ? subscribed : fallback ? [fallback] : [];
    if (targets.length === 0) throw new OperatorError('this sandbox has no app whose events could be forwarded');
    const destinations = targets.map((row): Destination => {
      const own = subscriptions.filter((each) => each.app_id === idOf(row));
      return {
        appId: idOf(row),
        name: row.name,
        botUserId: row.bot_user_id,
        credentials: row.credentials,
        kinds: own.length === 0 ? null : new Set(own.flatMap(({ events }) => events)),
      };
    });
    return new Forwarder(url, teamId, destinations);
  }

  async hand(entry: Entry): Promise<void> {
    const kind = entry.event ?? '';
    const wanted = this.destinations.filter(({ kinds }) => kinds === null || kinds.has(kind) || kinds.has(`${kind}s`));
    await Promise.all(wanted.map((destination) => this.post(entry, destination)));
  }

  private async post(entry: Entry, { appId, name, botUserId, credentials }: Destination): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({
      token: credentials.verification_token,
      team_id: this.teamId,
      api_app_id: appId,
      event: entry['data'],
      type: 'event_callback',
      event_id: `Ev0${randomBytes(8).toString('hex').toUpperCase().slice(0, 9)}`,
      event_time: now,
      authorizations: [
        {
          enterprise_id: null,
          team_id: this.teamId,
          user_id: botUserId ?? null,
          is_bot: botUserId !== undefined,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    });
    const signature = createHmac('sha256', credentials.signing_secret).update(`v0:${now}:${body}`).digest('hex');
    const began = Date.now();
    const outcome = await fetch(this.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': String(now),
        'x-slack-signature': `v0=${signature}`,
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      (response) => (response.ok ? green(String(response.status)) : red(String(response.status))),
      (error: Error) => red((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.name),
    );
    say(`forward ${entry.event} to ${name} → ${outcome} ${Date.now() - began} ms`);
  }
}
