import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { afterEach, beforeAll } from 'vitest';
import { createApp, listen } from '../../src/app.js';
import { ENTITIES } from '../../src/entities.js';
import { Clock } from '../../src/kernel/clock/clock.js';
import { parseSettings, type Settings } from '../../src/kernel/config/settings.js';
import { openStore, type Store } from '../../src/kernel/database/store.js';
import { Log } from '../../src/kernel/log/log.js';
import { OrganizationBuilder } from './tracker.js';
import { WorkspaceBuilder, type WorkspaceOptions } from './workspace.js';

/** A running server, and what specs need to use it. */
export class TestApp {
  private constructor(
    readonly settings: Settings,
    readonly store: Store,
    readonly nest: NestFastifyApplication,
    /** Without a trailing slash. */
    readonly baseUrl: string,
  ) {}

  /** Starts a server on a free port, with the database of DATABASE_URL if it is set, else an embedded one in memory. */
  static async start(env: Record<string, string> = {}, uiFolder?: string): Promise<TestApp> {
    const settings = parseSettings({
      PORT: '0',
      SVC_DATA_DIR: 'memory',
      SVC_LOG_LEVEL: 'error',
      SVC_LOG_FORMAT: 'json',
      SVC_JWT_SECRET: 'the same for every process of the tests',
      SVC_ADMIN_TOKEN: 'operator-of-the-tests',
      SVC_METHODS: 'all',
      ...(process.env['DATABASE_URL'] === undefined ? {} : { DATABASE_URL: process.env['DATABASE_URL'] }),
      ...env,
    });
    const store = await openStore(settings, ENTITIES);
    const nest = await createApp(settings, store, Log.create(settings));
    const port = await listen(nest, settings, uiFolder);
    return new TestApp(settings, store, nest, `http://127.0.0.1:${port}`);
  }

  get clock(): Clock {
    return this.nest.get(Clock);
  }

  /** A workspace for one test, with an admin, #general and #random. */
  workspace(options: WorkspaceOptions = {}): Promise<WorkspaceBuilder> {
    return WorkspaceBuilder.create(this, options);
  }

  /** A tracker organization for one test, with an owner and the team ENG. */
  organization(): Promise<OrganizationBuilder> {
    return OrganizationBuilder.create(this);
  }

  async stop(): Promise<void> {
    const server = this.nest.getHttpServer() as Server;
    // as in a real server's drain: a connection whose call ends only now would otherwise stay open while idle
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    try {
      await this.nest.close();
    } finally {
      clearInterval(sweep);
    }
    await this.store.close();
  }
}

let shared: Promise<TestApp> | undefined;

/**
 * The server that all specs of a worker share, stopped with the worker. The clock is reset to real time after each
 * test. The result may be used only inside tests and hooks.
 */
export function useApp(): TestApp {
  shared ??= TestApp.start();
  const started = shared;
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await started;
  });
  afterEach(() => app?.clock.reset());
  return new Proxy({} as TestApp, {
    get(_target, property) {
      if (!app) throw new Error('the server is there inside tests and hooks only');
      const value = Reflect.get(app, property, app) as unknown;
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(app) : value;
    },
  });
}
