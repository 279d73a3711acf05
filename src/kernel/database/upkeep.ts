import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

interface Task {
  readonly name: string;
  readonly everyMs: number;
  readonly work: (stopped: () => boolean) => Promise<unknown>;
  timer?: NodeJS.Timeout;
  running?: Promise<unknown>;
}

/** How long a task waits for the one that began before it, at most. */
const TURN_MS = 20;

/**
 * Periodic background tasks: deleting expired rows, watching the store. Every replica runs them, so a task uses small
 * statements that may run concurrently, and stops early when `stopped()` is true. Tasks that are due at the same moment
 * begin one after the other: at once each would want a connection, and of an embedded database each is a process of 5 MB.
 */
@Injectable()
export class Upkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Upkeep');
  private readonly tasks: Task[] = [];
  /** The task that began last. */
  private latest: Promise<unknown> = Promise.resolve();
  private started = false;
  private stopped = false;

  /** At start-up. The task first runs after `everyMs`. */
  register(name: string, everyMs: number, work: Task['work']): void {
    const task: Task = { name, everyMs, work };
    this.tasks.push(task);
    if (this.started) this.plan(task);
  }

  onApplicationBootstrap(): void {
    this.started = true;
    for (const task of this.tasks) this.plan(task);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const task of this.tasks) clearTimeout(task.timer);
    await Promise.all(this.tasks.map((task) => task.running));
  }

  private plan(task: Task): void {
    if (this.stopped) return;
    task.timer = setTimeout(() => {
      const turn = Promise.race([this.latest, sleep(TURN_MS, undefined, { ref: false })]);
      task.running = this.latest = turn
        .then(() => (this.stopped ? undefined : task.work(() => this.stopped)))
        .catch((error: Error) => this.log.warn(`${task.name} did not work out: ${error.message}`))
        .finally(() => this.plan(task));
    }, task.everyMs).unref();
  }
}
