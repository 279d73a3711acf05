import { App, HTTPReceiver, LogLevel, type Logger } from '@slack/bolt';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Journal, type SampleApp } from './sample-app.js';
import { Team, type Platform } from './team.js';

/** Silent, as lost connections are part of the tests. */
const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

export type Transport = 'HTTP' | 'Socket Mode';

/** A running sample app, installed in a team of its own. */
export interface Running {
  readonly team: Team;
  readonly journal: Journal;
  stop(): Promise<void>;
}

/** Starts the app with unmodified Bolt, configured only with the address of this service. */
export async function start(sample: SampleApp, transport: Transport, platform: Platform): Promise<Running> {
  const isSocket = transport === 'Socket Mode';
  const team = await Team.install(platform, sample, isSocket);
  const clientOptions = {
    slackApiUrl: `${platform.baseUrl}/api/`,
    retryConfig: { retries: 20, minTimeout: 100, maxTimeout: 1_000 },
  };
  const common = { token: team.app['bot_token'], clientOptions, logger: silent };
  const journal = new Journal();
  if (isSocket) {
    const app = new App({ ...common, appToken: team.app['app_token'], socketMode: true });
    journal.watch(app);
    sample.listen(app, journal);
    await app.start();
    return { team, journal, stop: async () => void (await app.stop()) };
  }
  const receiver = new HTTPReceiver({
    signingSecret: team.app['credentials'].signing_secret,
    logger: silent,
  });
  const app = new App({ ...common, receiver });
  journal.watch(app);
  sample.listen(app, journal);
  const server = (await receiver.start(0)) as unknown as Server;
  await team.setUrl(sample, `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`);
  return {
    team,
    journal,
    stop: async () => {
      server.closeAllConnections();
      await receiver.stop();
    },
  };
}
