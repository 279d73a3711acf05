import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { canRunCluster, PostgresCluster } from '../support/postgres-cluster.js';
import { canRunPgBouncer, PgBouncer } from '../support/pgbouncer.js';
import { Relay } from '../support/relay.js';
import { ServerProcess } from '../support/server-process.js';
import type { Random } from './random.js';

export const OPERATOR = 'operator-of-the-tests';
const AT_COMMIT = fileURLToPath(new URL('preload-commits.mjs', import.meta.url));

const OWN_CLOCK = fileURLToPath(new URL('preload-clock.mjs', import.meta.url));
const MUTATIONS = fileURLToPath(new URL('preload-mutations.mjs', import.meta.url));

/** Plans are made once: without it half of what PostgreSQL does in a history is planning. A log that fits on a small disk. */
const DATABASE_SETTINGS = '-c plan_cache_mode=force_generic_plan -c max_wal_size=256MB';

/** How many sessions a PgBouncer has, so that three replicas and those that are being started have enough. */
const SESSIONS = 90;

const SETTINGS = {
  SVC_ADMIN_TOKEN: OPERATOR,
  SVC_METHODS: 'all',
  SVC_TRACKER_REQUESTS_PER_HOUR: '1000000000',
  SVC_TRACKER_COMPLEXITY_PER_HOUR: '1000000000000',
};

interface Replica {
  readonly server: ServerProcess;
  isFrozen: boolean;
}

/** What a run uses: replicas on a PostgreSQL of their own, which can be reached through a relay alone. */
export class World {
  private readonly replicas: Replica[] = [];
  private isOver = false;
  /** Replicas that are being started. */
  private readonly starting = new Set<Promise<unknown>>();
  /** When replicas were killed: what one had in memory alone is gone then. */
  readonly kills: number[] = [];
  /** From when until when replicas stood still. */
  readonly stalls: { from: number; to: number }[] = [];
  /** When PostgreSQL crashed: what it does not log is gone then. */
  readonly crashes: number[] = [];

  /** Primaries that a standby has taken the place of. */
  private readonly former: PostgresCluster[] = [];

  private constructor(
    /** The one that takes writes. */
    public cluster: PostgresCluster,
    private standby: PostgresCluster | undefined,
    /** Between the relay and PostgreSQL, where there is one. */
    private readonly pooler: PgBouncer | undefined,
    readonly relay: Relay,
    private readonly wanted: number,
    private readonly random: Random,
    private readonly now: () => number,
    private readonly mutation: string | undefined,
    /** The version that replicas have at first: a checkout that is built; undefined: this one. */
    private before: string | undefined,
  ) {}

  static readonly isPossible = canRunCluster;

  /**
   * @param before the version that replicas have until `upgrade`
   * @param mutation in which way the replicas are broken (preload-mutations.mjs)
   */
  static async start(
    replicas: number,
    random: Random,
    now: () => number,
    {
      mutation,
      hasStandby,
      diskMiB,
      hasPooler,
      before,
    }: {
      mutation?: string | undefined;
      hasStandby?: boolean;
      diskMiB?: number | undefined;
      /** A PgBouncer in session mode, where one is installed. */
      hasPooler?: boolean;
      before?: string | undefined;
    } = {},
  ): Promise<World> {
    const cluster = await PostgresCluster.create({ diskMiB, settings: DATABASE_SETTINGS });
    const standby = hasStandby ? await cluster.standby() : undefined;
    const pooler =
      hasPooler && canRunPgBouncer ? await PgBouncer.to(cluster.url, { mode: 'session', size: SESSIONS }) : undefined;
    const relay = await Relay.to(pooler?.through(cluster.url) ?? cluster.url);
    const world = new World(cluster, standby, pooler, relay, replicas, random, now, mutation, before);
    // the first one migrates
    await world.startReplica();
    await Promise.all(Array.from({ length: replicas - 1 }, () => world.startReplica()));
    return world;
  }

  /** The base URL of some replica; a frozen one is as good as the others for who does not know. */
  readonly replica = (): string | undefined => this.random.of(this.replicas)?.server.baseUrl;

  /** Starts one more in the background, which kills itself at one of its commits. */
  addReplica(atCommit: { moment: 'before' | 'after'; count: number }): void {
    this.note(this.startReplica(atCommit).catch(() => undefined));
  }

  /** @param atCommit kills the replica itself at one of its commits: `before` it is sent, or `after` it is done */
  async startReplica(atCommit?: { moment: 'before' | 'after'; count: number }): Promise<void> {
    const preloads = [OWN_CLOCK, ...(this.mutation === undefined ? [] : [MUTATIONS]), ...(atCommit ? [AT_COMMIT] : [])];
    const environment = {
      DATABASE_URL: this.relay.through(this.cluster.url),
      ...SETTINGS,
      NODE_OPTIONS: preloads.map((path) => `--import=${path}`).join(' '),
      ...(this.mutation !== undefined && { MUTATION: this.mutation }),
      ...(atCommit && { KILL_AT_COMMIT: `${atCommit.moment}:${atCommit.count}` }),
    };
    const server = await ServerProcess.start(environment, [], this.before);
    if (this.isOver) return void (await server.kill());
    const replica: Replica = { server, isFrozen: false };
    this.replicas.push(replica);
    void server.ended.then(() => {
      this.kills.push(this.now());
      const at = this.replicas.indexOf(replica);
      if (at >= 0) this.replicas.splice(at, 1);
      // as an orchestrator does; it may have to wait for the database
      const isMissing = this.replicas.length + this.starting.size < this.wanted;
      if (!this.isOver && isMissing) this.note(this.untilStarted());
    });
  }

  /** One replica after the other is replaced by one of this version, which is started first. */
  async upgrade(): Promise<void> {
    this.before = undefined;
    const old = this.replicas.slice();
    for (const { server } of old) {
      await this.untilStarted();
      server.running.child.kill('SIGCONT');
      await server.kill('SIGTERM');
    }
  }

  private async untilStarted(): Promise<void> {
    while (!this.isOver) {
      const isStarted = await this.startReplica().then(
        () => true,
        () => false,
      );
      if (isStarted) return;
    }
  }

  private note(work: Promise<unknown>): void {
    this.starting.add(work);
    void work.finally(() => this.starting.delete(work));
  }

  /** Kills one, as an out-of-memory killer does. */
  kill(): void {
    this.random.of(this.replicas)?.server.running.child.kill('SIGKILL');
  }

  /** Stops one, in order. */
  stopOne(): void {
    const replica = this.random.of(this.replicas);
    replica?.server.running.child.kill('SIGCONT');
    replica?.server.running.child.kill('SIGTERM');
  }

  /** Lets the clock of one jump, and back after a while. */
  async jump(ms: number): Promise<void> {
    const child = this.random.of(this.replicas)?.server.running.child;
    child?.kill('SIGUSR2');
    await sleep(ms);
    child?.kill('SIGUSR2');
  }

  get hasPooler(): boolean {
    return this.pooler !== undefined;
  }

  /** The pooler has only so many sessions for a while: everybody connects anew, and who comes late waits. */
  async limitSessions(count: number, ms: number): Promise<void> {
    if (!this.pooler) this.relay.limitSessions(count);
    else {
      this.pooler.resize(count);
      this.relay.release();
    }
    await sleep(ms);
    this.pooler?.resize(SESSIONS);
    this.relay.limitSessions(Infinity);
  }

  /** The pooler ends with all of its connections, and is there again after a while. */
  async restartPooler(ms: number): Promise<void> {
    await this.pooler?.stop();
    await sleep(ms);
    await this.pooler?.start();
  }

  get hasStandby(): boolean {
    return this.standby !== undefined;
  }

  get hasOwnDisk(): boolean {
    return this.cluster.hasOwnDisk;
  }

  /** The primary is gone, and the standby takes its place; only once, as that one has no standby. */
  async promote(): Promise<void> {
    const { cluster, standby } = this;
    if (!standby) throw new Error('there is no standby');
    this.standby = undefined;
    this.former.push(cluster);
    this.relay.refuse();
    await cluster.stop('immediate');
    await standby.promote();
    this.noteCrash();
    this.cluster = standby;
    if (this.pooler) this.pooler.lead(standby.url);
    else this.relay.lead(standby.url);
    this.relay.release();
  }

  /** There is no room on the database's disk for a while. */
  async fillDisk(ms: number): Promise<void> {
    const empty = this.cluster.fillDisk();
    await sleep(ms);
    empty();
    // a server that cannot write its log ends; what it does not log is gone then
    this.noteCrash();
    await this.cluster.stop('immediate').catch(() => undefined);
    await this.cluster.start();
  }

  /** Stops one without its knowing, for a while. */
  freeze(ms: number): void {
    const replica = this.random.of(this.replicas);
    if (replica) this.freezeOne(replica, ms);
  }

  private freezeOne(replica: Replica, ms: number): void {
    if (replica.isFrozen) return;
    replica.isFrozen = true;
    replica.server.running.child.kill('SIGSTOP');
    const from = this.now();
    setTimeout(() => {
      replica.isFrozen = false;
      replica.server.running.child.kill('SIGCONT');
      this.stalls.push({ from, to: this.now() });
    }, ms).unref();
  }

  /** Lets one have a fifth of the time of a processor, for a while. */
  async starve(ms: number): Promise<void> {
    const until = this.now() + ms;
    const replica = this.random.of(this.replicas);
    while (replica && this.now() < until) {
      this.freezeOne(replica, 80);
      await sleep(100);
    }
  }

  noteCrash(): void {
    this.crashes.push(this.now());
  }

  /** Resolves when nothing is being started. */
  async settled(): Promise<void> {
    while (this.starting.size > 0) await Promise.all(this.starting);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    for (const { server } of this.replicas) server.running.child.kill('SIGCONT');
    await Promise.all(this.replicas.map(({ server }) => server.kill('SIGTERM')));
    await this.settled();
    await this.relay.close();
    await this.pooler?.drop();
    for (const cluster of [this.cluster, this.standby, ...this.former]) await cluster?.drop();
  }
}
