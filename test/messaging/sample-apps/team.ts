import { expect } from 'vitest';
import { eventually } from '../../support/receiver.js';
import { unique } from '../../support/unique.js';
import type { SampleApp } from './sample-app.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any -- specs read fields freely

export const ADMIN_TOKEN = 'operator-of-the-tests';

/** A server, or several behind one address. */
export interface Platform {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The number of events that are not yet sent, or not yet acknowledged. */
  queued(appId: string): Promise<number>;
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly accessToken: string;
}

/** A workspace with two users and an installed app, all created over HTTP, as the app's own test suite would do it. */
export class Team {
  private constructor(
    readonly platform: Platform,
    readonly id: string,
    /** With its tokens and credentials. */
    readonly app: Json,
    readonly channels: Readonly<Record<string, string>>,
    readonly people: Readonly<Record<'ann' | 'bob', Person>>,
  ) {}

  static async install(platform: Platform, sample: SampleApp, isSocket: boolean): Promise<Team> {
    const people = ['ann', 'bob'].map((name) => ({ name, email: `${name}@${unique('team')}.example` }));
    const body = await post(platform, 'admin/provision', { 'x-admin-token': ADMIN_TOKEN }, 201, {
      team: { name: unique('Sample') },
      users: people.map((person) => ({ ...person, is_admin: true })),
      channels: sample.channels.map((name) => ({ name, members: ['ann', 'bob'] })),
      app: { manifest: manifestOf(sample, isSocket ? 'socket' : undefined) },
    });
    const users = body['users'] as Json[];
    const channels = (body['channels'] as Json[]).map(({ name, id }): [string, string] => [name, id]);
    const [ann, bob] = people.map(({ name, email }) => {
      const user = users.find((one) => one['name'] === name) as Json;
      return { id: user['user_id'] as string, email, accessToken: user['access_token'] as string };
    }) as [Person, Person];
    const app = { ...body['app'], bot_token: body['bot_token'], app_token: body['app_token'] } as Json;
    return new Team(platform, body['team'].id, app, Object.fromEntries(channels), { ann, bob });
  }

  /** Configures the URL at which the app listens. */
  async setUrl(sample: SampleApp, url: string): Promise<void> {
    const response = await fetch(`${this.platform.baseUrl}/api/apps/${this.app['id']}/manifest`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.people.ann.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ manifest: manifestOf(sample, url) }),
    });
    expect(await response.json()).toMatchObject({ id: this.app['id'] });
  }

  /** A user acts, and the answer tells what the app did. */
  act(as: 'ann' | 'bob', verb: string, body: Json): Promise<Json> {
    const whose = { as: this.people[as].id, team_id: this.id };
    const headers = { 'x-admin-token': ADMIN_TOKEN };
    return post(this.platform, `act/${verb}`, headers, 200, { wait_ms: 10_000, ...body, ...whose });
  }

  /** What apps show to a user now. */
  async screen(as: 'ann' | 'bob'): Promise<Json> {
    const response = await fetch(`${this.platform.baseUrl}/api/act/screen`, {
      headers: { authorization: `Bearer ${this.people[as].accessToken}` },
    });
    return (await response.json()) as Json;
  }

  /** Calls a method with the app's bot token. */
  async call(method: string, args: Json = {}): Promise<Json> {
    const headers = { authorization: `Bearer ${this.app['bot_token']}` };
    return post(this.platform, method, headers, 200, args);
  }

  /** Posts a message exactly once, even if the server dies during the call, and answers its ts. */
  async say(as: 'ann' | 'bob', channel: string, text: string, more: Json = {}): Promise<string> {
    for (;;) {
      try {
        const { result } = await this.act(as, 'message', { channel, text, until: 'none', ...more });
        return result.ts as string;
      } catch (error) {
        // the answer was lost, so it is unknown whether the message was stored
        const found = await this.find(channel, text).catch(() => undefined);
        if (found !== undefined) return found;
        if (!(error instanceof TypeError) && !/50[234]/.test(String(error))) throw error;
      }
    }
  }

  private async find(channel: string, text: string): Promise<string | undefined> {
    await eventually(() => this.call('api.test').then(({ ok }) => ok === true), 'a server that answers');
    const { messages } = await this.call('conversations.history', { channel, limit: 200 });
    return (messages as Json[]).find((message) => message['text'].endsWith(text))?.['ts'];
  }

  /** Waits until the app has acted on exactly these, each once, and nothing is pending. */
  async expectActed(journal: { acted: string[] }, expected: readonly string[]): Promise<void> {
    await eventually(
      () => journal.acted.length >= expected.length,
      `${expected.length} acts, not ${journal.acted.length}`,
      60_000,
    );
    await eventually(async () => (await this.platform.queued(this.app['id'])) === 0, 'nothing left to send', 60_000);
    expect(journal.acted.toSorted()).toEqual(expected.toSorted());
  }
}

/** @param way `socket`, a request URL, or undefined when it is not known yet */
function manifestOf(sample: SampleApp, way: string | undefined): object {
  const isSocket = way === 'socket';
  const url = isSocket || way === undefined ? undefined : way;
  return {
    display_information: { name: sample.name },
    features: {
      bot_user: { display_name: sample.name },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true },
      slash_commands: way === undefined ? [] : (sample.commands ?? []).map((command) => ({ command, url })),
      shortcuts: sample.shortcuts ?? [],
    },
    oauth_config: { scopes: { bot: sample.scopes } },
    settings: {
      socket_mode_enabled: isSocket,
      ...(way === undefined
        ? {}
        : {
            event_subscriptions: { request_url: url, bot_events: sample.events },
            interactivity: { is_enabled: true, request_url: url },
          }),
    },
  };
}

async function post(
  platform: Platform,
  path: string,
  headers: Record<string, string>,
  status: number,
  body: Json,
): Promise<Json> {
  const response = await fetch(`${platform.baseUrl}/api/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Json;
}
