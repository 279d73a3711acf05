import { randomBytes } from 'node:crypto';
import { withoutBrackets } from '../../kernel/config/addresses.js';
import { Authority } from '../ca/authority.js';
import type { leaf } from '../ca/certificates.js';
import { errorLines, OperatorError } from '../fatal-error.js';
import { ApiError } from '../kit/api.js';
import { environmentOf } from '../kit/environment.js';
import { runChild, type ChildEnd } from './child.js';
import { intercepting } from './environment.js';
import type { RunOptions } from './options.js';
import { outcomeOf } from './outcome.js';
import { serverOf, sandboxOf, type RunServer, type RunSandbox } from './run-server.js';
import { Proxy } from './proxy.js';
import { isFaulty, summaryOf, writeReports, type Report } from './report.js';
import { Traffic } from './tally.js';
import { Trust } from './trust.js';
import { VendorEdge } from './vendor-edge.js';
import { VENDORS } from './vendors.js';
import { WayOut } from './way-out.js';

const LEAF_DAYS = 7;
const LEAF_NAMES = ['slack.com', '*.slack.com', 'linear.app', '*.linear.app', 'localhost', '127.0.0.1'];

/** All that a run says, on standard error: standard output is the command's. */
function say(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`understudy: ${line}\n`);
}

/** `understudy run` (docs/reference/reach.md#run). Sets the exit code of this process. */
export async function runCommand(
  command: readonly string[],
  options: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const traffic = new Traffic();
  const endings: (() => unknown)[] = [];
  let code = 1;
  // while the server is asked, or starts
  const identity = options.intercept ? identityOf(env) : undefined;
  identity?.catch(() => undefined);
  try {
    const server = await serverOf(options, env);
    if (server.own) endings.push(() => server.own?.stop());
    const sandbox = await sandboxOf(server, options);
    if (sandbox.isOwn && !options.keep) endings.push(() => deleteSandbox(server, sandbox));
    const variables = {
      ...variablesOf(server, sandbox, options),
      ...(identity && (await intercept(server, options, env, { identity: await identity, traffic, endings }))),
    };
    code = await execute(command, { options, server, sandbox, traffic, env: { ...env, ...variables } });
  } catch (error) {
    say(errorLines(error));
    code = 1;
  }
  for (const end of endings.toReversed()) await end();
  process.exitCode = code;
}

/** The variables of the kits, those of `--set`, and the sandbox's id. */
function variablesOf({ api }: RunServer, sandbox: RunSandbox, options: RunOptions): Record<string, string> {
  const { fields, urls } = sandbox;
  const known = environmentOf(api.base, fields as never, urls);
  const set = Object.entries(options.set ?? {}).map(([name, field]): [string, string] => {
    if (fields[field] === undefined)
      throw new OperatorError(`--set ${name}=${field}: this sandbox has none that can be told`);
    return [name, fields[field]];
  });
  const told: Record<string, string | undefined> = {
    ...known,
    UNDERSTUDY_SANDBOX: sandbox.id,
    ...Object.fromEntries(set),
  };
  const isTold = (pair: [string, string | undefined]): pair is [string, string] => pair[1] !== undefined;
  return Object.fromEntries(Object.entries(told).filter(isTold));
}

/** What a run shows to its programs, and what makes them trust it. */
interface Identity {
  readonly authority: string;
  readonly certificate: Awaited<ReturnType<typeof leaf>>;
}

/** @throws OperatorError when the authority cannot be had */
async function identityOf(env: NodeJS.ProcessEnv): Promise<Identity> {
  const [authority, certificates] = await Promise.all([
    Authority.of(env).ensureLasting(),
    import('../ca/certificates.js'),
  ]);
  return { authority: authority.cert, certificate: await certificates.leaf(authority, LEAF_NAMES, LEAF_DAYS) };
}

/** Opens the ports of a run. */
async function intercept(
  { url }: RunServer,
  options: RunOptions,
  env: NodeJS.ProcessEnv,
  { identity, traffic, endings }: { identity: Identity; traffic: Traffic; endings: (() => unknown)[] },
): Promise<Record<string, string>> {
  const { authority, certificate } = identity;
  const vendors = options.only === undefined ? VENDORS : [options.only];
  const edge = new VendorEdge({ server: url, certificate, vendors, traffic });
  endings.push(() => edge.close());
  const serverHost = withoutBrackets(new URL(url).hostname);
  const isOffline = options.offline === true;
  const allowed = [...(options.allow ?? []), serverHost];
  const proxy = async (password: string | undefined): Promise<number> => {
    const opened = new Proxy({ edge, vendors, traffic, wayOut: new WayOut(env), password, isOffline, allowed });
    endings.push(() => opened.close());
    return opened.listen();
  };
  const password = randomBytes(16).toString('hex');
  const trust = new Trust(authority);
  endings.push(() => trust.remove());
  return intercepting(env, {
    proxyPort: await proxy(password),
    password,
    javaPort: options.java ? await proxy(undefined) : undefined,
    tlsPort: await edge.listen(),
    trust,
    vendors,
    isOffline,
    serverHost,
  });
}

interface Execution {
  readonly options: RunOptions;
  readonly server: RunServer;
  readonly sandbox: RunSandbox;
  readonly traffic: Traffic;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the command and reports. @returns the exit code of the run */
async function execute(
  command: readonly string[],
  { options, server, sandbox, traffic, env }: Execution,
): Promise<number> {
  const after = await startOf(server, sandbox);
  const since = Date.now();
  const end = await runChild(command, env);
  if (end.failure !== undefined) say(end.failure);
  const seconds = Math.round((Date.now() - since) / 100) / 10;
  try {
    const report = await reportOf({ command, options, server, sandbox, traffic, after, since, seconds, end });
    writeReports(options.report ?? [], report);
    if (!options.quiet) for (const line of summaryOf(report)) say(line);
    if (options.keep) await sayKept(server, sandbox);
    return options.strict && end.code === 0 && isFaulty(report) ? 1 : end.code;
  } catch (error) {
    // the command has ended as it has: what cannot be told of it changes that only where the run was asked to tell it
    say(errorLines(error));
    const isOwed = options.strict === true || (options.report ?? []).length > 0;
    return end.code === 0 && isOwed ? 1 : end.code;
  }
}

interface Ended extends Omit<Execution, 'env'> {
  readonly command: readonly string[];
  readonly end: ChildEnd;
  /** Where the timeline was before. */
  readonly after: string | undefined;
  readonly since: number;
  readonly seconds: number;
}

async function reportOf({
  command,
  options,
  server,
  sandbox,
  traffic,
  end,
  after,
  since,
  seconds,
}: Ended): Promise<Report> {
  const outcome = await outcomeOf(server.api, sandbox.id, { after, since, traffic });
  return {
    version: 1,
    command,
    exit_code: end.code,
    signal: end.signal,
    seconds,
    server: server.url,
    sandbox: sandbox.id,
    kept: options.keep === true || !sandbox.isOwn,
    ...outcome,
    hosts: { led: traffic.led, passed: traffic.passed, refused: traffic.refused },
    state: await stateOf(server, sandbox),
  };
}

/** Where the timeline of a sandbox that existed before is now; a new one is read from its start. */
async function startOf({ api }: RunServer, sandbox: RunSandbox): Promise<string | undefined> {
  if (sandbox.isOwn) return undefined;
  const query = { limit: 1, order: 'desc' };
  const { entries } = await api.call<{ entries: { id: string }[] }>('GET', api.sandbox(sandbox.id, '/timeline'), {
    query,
  });
  return entries[0]?.id;
}

/** Null on a server that has no hash of a sandbox's state. */
async function stateOf({ api }: RunServer, { id }: RunSandbox): Promise<string | null> {
  try {
    return (await api.call<{ state?: string; hash?: string }>('GET', api.sandbox(id, '/state'))).hash ?? null;
  } catch (error) {
    if (error instanceof ApiError && [404, 409].includes(error.status)) return null;
    throw error;
  }
}

async function sayKept({ api, own }: RunServer, { id }: RunSandbox): Promise<void> {
  if (own) return say(`the server of this run ends with it, and so does sandbox ${id}: start one to keep sandboxes`);
  try {
    const { url } = await api.call<{ url: string }>('POST', api.sandbox(id, '/ui-link'), { body: {} });
    say(`sandbox ${id}: ${url}`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`sandbox ${id} stays until its time is over`);
  }
}

/** Its time to live ends it where this fails. */
async function deleteSandbox({ api, own }: RunServer, { id }: RunSandbox): Promise<void> {
  if (own) return;
  await api.call('DELETE', api.sandbox(id)).catch((error: unknown) => say(errorLines(error)));
}
