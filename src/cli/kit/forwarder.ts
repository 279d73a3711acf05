import { newAlphanumeric } from '../../kernel/ids/ids.js';
import { slackSignature, svcSignature } from '../../webhooks/signing.js';
import type { Api } from './api.js';
import type { Entry } from './entry-line.js';
import { OperatorError } from '../fatal-error.js';
import { green, red, say } from './output.js';

/** How long a local receiver may take, in milliseconds, before the attempt counts as failed. There are no retries. */
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
  /** The event names it subscribes to; null: all. */
  names: ReadonlySet<string> | null;
  /** The last mention that was forwarded to it. */
  lastMention?: string;
}

/** An event as apps receive it. */
interface InnerEvent {
  channel?: unknown;
  channel_type?: unknown;
  event_ts?: unknown;
  text?: unknown;
}

/** `message.channels` and its siblings subscribe to the messages of one type of conversation. */
const MESSAGE_NAMES: Readonly<Record<string, string>> = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
};

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
    // only an admin of the workspace may read the secrets of apps
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
        names: own.length === 0 ? null : new Set(own.flatMap(({ events }) => events)),
      };
    });
    return new Forwarder(url, teamId, destinations);
  }

  async hand(entry: Entry): Promise<void> {
    if (typeof entry['data'] !== 'object' || entry['data'] === null) {
      return say(`forward ${entry.event} → skipped: it is too long for the timeline to keep it whole`);
    }
    const event: InnerEvent = entry['data'];
    await Promise.all(
      this.destinations
        .filter((destination) => accepts(destination, entry.event ?? '', event))
        .map((destination) => this.post(entry, event, destination)),
    );
  }

  private async post(entry: Entry, event: InnerEvent, destination: Destination): Promise<void> {
    const seconds = Math.floor(Date.now() / 1000);
    const secret = destination.credentials.signing_secret;
    const body = JSON.stringify(this.envelope(entry, event, destination));
    const began = Date.now();
    const outcome = await fetch(this.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': String(seconds),
        'x-slack-signature': slackSignature(secret, seconds, body),
        'svc-signature': svcSignature(secret, body),
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      (response) => {
        // the response body is not needed; discarding it frees the connection
        void response.body?.cancel();
        return response.ok ? green(String(response.status)) : red(String(response.status));
      },
      (error: Error) => red((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.name),
    );
    say(`forward ${entry.event} to ${destination.name} → ${outcome} ${Date.now() - began} ms`);
  }

  /** docs/reference/events.md#envelope */
  private envelope(entry: Entry, event: InnerEvent, { appId, botUserId, credentials }: Destination): object {
    const context = JSON.stringify({ et: entry.event, tid: this.teamId, aid: appId });
    return {
      token: credentials.verification_token,
      team_id: this.teamId,
      context_team_id: this.teamId,
      context_enterprise_id: null,
      api_app_id: appId,
      event,
      type: 'event_callback',
      event_id: `Ev0${newAlphanumeric(9).toUpperCase()}`,
      event_time: Math.floor(Date.parse(entry.at) / 1000),
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
      event_context: `4-${Buffer.from(context).toString('base64url')}`,
    };
  }
}

/** Whether an app subscribes to the event. Only the mentioned app gets a mention, and only once. */
function accepts(destination: Destination, kind: string, event: InnerEvent): boolean {
  const { names, botUserId } = destination;
  const name = kind === 'message' ? MESSAGE_NAMES[String(event.channel_type)] : undefined;
  if (names !== null && !names.has(kind) && !(name !== undefined && names.has(name))) return false;
  if (kind !== 'app_mention') return true;
  if (botUserId === undefined || !String(event.text).includes(`<@${botUserId}`)) return false;
  // the timeline has one such event for each app that a message mentions, and does not say which app it is for
  const mention = `${String(event.channel)} ${String(event.event_ts)}`;
  if (destination.lastMention === mention) return false;
  destination.lastMention = mention;
  return true;
}
