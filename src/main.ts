import 'reflect-metadata';
import module from 'node:module';
import { constants } from 'node:os';
import { exitWithError } from './cli/fatal-error.js';
import { isLoopback } from './kernel/config/addresses.js';
import { listensEverywhere, parseSettings, type Settings } from './kernel/config/settings.js';
import { unknownSettings } from './kernel/config/unknown-settings.js';
import { VERSION } from './kernel/config/version.js';
import { openStore } from './kernel/database/store.js';
import { returnMemoryAtRest } from './kernel/idle-memory.js';
import { Log } from './kernel/log/log.js';

/** Starts the server; whatever keeps it from starting ends the process with code 1 and says what to do. */
async function start(settings: Settings, options: { printCredentials: boolean }): Promise<void> {
  const log = Log.create(settings);
  endOnBugs(log);
  const started = endOnSignals();
  if (settings.publicUrl === undefined && listensEverywhere(settings)) {
    log.warn('SVC_PUBLIC_URL is not set: URLs handed out begin with localhost, which other machines cannot reach');
  }

  for (const sentence of unknownSettings(process.env)) log.warn(sentence);
  if (settings.secretKeys === undefined && !isLoopback(settings.host)) {
    log.warn('SVC_SECRET_KEY is not set: signing secrets are stored readable');
  }

  if (settings.consent === 'picker' && !isLoopback(settings.host)) {
    log.warn('SVC_CONSENT is picker: whoever reaches the port may let apps in as anybody');
  }

  // the store opens while the rest of the code is loaded, which takes longer than anything else at a start
  const opening = openStore(
    settings,
    import('./entities.js').then(({ ENTITIES }) => ENTITIES),
    { onWait: (sentence) => log.warn(sentence) },
  );
  opening.catch(() => undefined); // handled where it is awaited
  const [
    { createApp, listen },
    { FirstStart },
    { UiLinks },
    { PublicUrl },
    { OperatorChannel },
    { originOf },
    { stopOnSignals },
    { welcome },
  ] = await Promise.all([
    import('./app.js'),
    import('./tenants/first-start.js'),
    import('./tenants/ui-links.js'),
    import('./kernel/http/public-url.js'),
    import('./cli/operator-channel.js'),
    import('./cli/health.js'),
    import('./cli/stopping.js'),
    import('./cli/welcome.js'),
  ]);
  const store = await opening;
  if (store.notice !== undefined) log.warn(store.notice);
  const app = await createApp(settings, store, log);
  await app.init();
  const firstStart = app.get(FirstStart, { strict: false });
  const tenant = await firstStart.ensure();
  const port = await listen(app, settings);
  const publicUrl = app.get(PublicUrl);
  const uiLinks = app.get(UiLinks, { strict: false });
  const addresses = { baseUrl: () => publicUrl.base, origin: originOf(settings, port) };
  const operators = await OperatorChannel.open(settings, { firstStart, uiLinks }, addresses, log);
  started();
  returnMemoryAtRest();
  stopOnSignals({ app, store, operators, log, graceMs: settings.shutdownGraceSeconds * 1000 });

  log.info(`listening on ${settings.host}:${port}`, {
    version: VERSION,
    base: publicUrl.base,
    migrations: store.applied,
    // what a pooler in between must have room for: the pool, one that listens, one that watches
    ...(store.embedded ? {} : { connections: settings.databasePoolSize + 2 }),
  });
  if (options.printCredentials) {
    const certificate = settings.tlsCertFile;
    const link = settings.mode === 'full' ? await uiLinks.open(publicUrl.base) : undefined;
    process.stdout.write(
      welcome({
        version: VERSION,
        baseUrl: publicUrl.base,
        store: describeStore(settings),
        tenant,
        certificate,
        methods: settings.methods,
        missingScopeStatus: settings.missingScopeStatus,
        link,
      }),
    );
  }
}

/** What a programming error left behind is unknown, so nothing more is served from it. */
function endOnBugs(log: Log): void {
  const end = (error: unknown): never => {
    log.fatal('unexpected error, the process ends', { error });
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/**
 * A signal during the start ends the process at once. By default it does so as well, but for process 1 of a container,
 * which hears only the signals that it asks for. Answers what takes that back.
 */
function endOnSignals(): () => void {
  const end = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, end);
  return () => signals.forEach((signal) => process.off(signal, end));
}

function describeStore(settings: Settings): string {
  if (settings.databaseUrl !== undefined) return `PostgreSQL at ${new URL(settings.databaseUrl).host}`;
  return settings.dataDir === 'memory' ? 'in memory, gone when the server stops' : settings.dataDir;
}

// compiled code is kept between starts where Node can do that (22.8 and newer)
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const asked = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
if (asked) {
  process.stdout.write(
    'Starts the server; settings are environment variables (docs/OPERATIONS.md).\n\n' +
      '  --print-credentials  print the default credentials once it listens\n\n' +
      'All commands and their options: npx --no-install understudy --help\n',
  );
} else {
  await startFromSettings();
}

async function startFromSettings(): Promise<void> {
  try {
    await start(parseSettings(process.env), { printCredentials: process.argv.includes('--print-credentials') });
  } catch (error) {
    exitWithError(error);
  }
}
