import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import { FAREWELL, Wakeups } from '../../kernel/events/wakeups.js';
import { newHex } from '../../kernel/ids/ids.js';
import { OTHER_REPLICAS } from './replicas.queries.js';

/** How long to wait for a replica that is without the database to come back, in milliseconds, */
const RETURN_TIMEOUT_MS = 6_000;
/** and how often to look whether it has. */
const LOOK_EVERY_MS = 100;
/** How long to wait for answers, in milliseconds: a replica of which nothing is heard by then stands still. */
const ANSWER_TIMEOUT_MS = 2_000;
/** One that has not answered by then says that it is busy, */
const BUSY_AFTER_MS = 500;
/** and is waited for so much longer: it has what a reader must see. */
const BUSY_TIMEOUT_MS = 4_000;

interface Question {
  missing: number;
  readonly answers: string[];
  readonly done: () => void;
  readonly waitLonger: () => void;
}

/** Questions to the other replicas of the server, over the wake-ups' connection. */
@Injectable()
export class Replicas implements OnApplicationShutdown {
  private readonly answerers = new Map<string, (asked: string) => Promise<string>>();
  private readonly listeners = new Map<string, (payload: string) => void>();
  private readonly questions = new Map<string, Question>();
  private readonly unsubscribe: () => void;
  private alone: boolean;
  /** How many others should be there: the most that were counted, less those that have ended or were waited for in vain. */
  private known = 0;
  private countedAt = -Infinity;

  constructor(
    private readonly db: Db,
    private readonly wakeups: Wakeups,
    store: StoreInfo,
  ) {
    this.alone = store.embedded;
    this.unsubscribe = wakeups.onMessage((message) => this.read(message));
    if (store.embedded) this.others = () => Promise.resolve(0);
  }

  onApplicationShutdown(): void {
    this.unsubscribe();
  }

  /** Registers how this replica answers questions about `topic`. */
  answer(topic: string, answerer: (asked: string) => Promise<string>): void {
    this.answerers.set(topic, answerer);
  }

  /** Registers how this replica handles another's message. */
  subscribe(topic: string, listener: (payload: string) => void): void {
    this.listeners.set(topic, listener);
  }

  /** Sends a message to the other replicas, if there are any. */
  publish(topic: string, payload: string): void {
    if (this.alone && performance.now() - this.countedAt < 1_000) return;
    void this.others('').then(
      (others) => {
        if (others > 0) void this.wakeups.send(`:${topic}:${payload}`);
      },
      () => undefined,
    );
  }

  /**
   * Asks all others and waits up to 2 s for their answers, and 4 s more for those that are busy. One that was there and
   * is not, nor has ended in order, may have lost its connection: it is waited for up to 6 s, once.
   */
  async ask(topic: string, asked: string): Promise<string[]> {
    const others = await this.present();
    if (others <= 0) return [];
    const id = newHex(12);
    return new Promise<string[]>((resolve) => {
      const answers: string[] = [];
      const done = (): void => {
        clearTimeout(timer);
        this.questions.delete(id);
        resolve(answers);
      };
      let timer = setTimeout(done, ANSWER_TIMEOUT_MS);
      const waitLonger = (): void => {
        clearTimeout(timer);
        timer = setTimeout(done, BUSY_TIMEOUT_MS);
      };
      this.questions.set(id, { missing: others, answers, done, waitLonger });
      void this.wakeups.send(`?${id}:${topic}:${asked}`).then((sent) => {
        if (!sent) done();
      });
    });
  }

  private async present(): Promise<number> {
    const until = performance.now() + RETURN_TIMEOUT_MS;
    // without a connection of its own it can neither count nor ask
    await this.wakeups.whenConnected(RETURN_TIMEOUT_MS);
    let others = await this.others('');
    while (others < this.known && performance.now() < until) {
      await sleep(LOOK_EVERY_MS);
      others = await this.others('');
    }
    this.known = others;
    return others;
  }

  private others: (key: string) => Promise<number> = coalesce(
    async (keys: string[]) => {
      const [row] = await this.db.read<{ others: number }>(OTHER_REPLICAS);
      const others = row?.others ?? 0;
      this.alone = others <= 0;
      this.countedAt = performance.now();
      this.known = Math.max(this.known, others);
      return keys.map(() => others);
    },
    { name: 'replicas.count', inFlight: 1 },
  );

  private read(message: string): void {
    const kind = message[0];
    if (message === FAREWELL) {
      this.known = Math.max(0, this.known - 1);
    } else if (kind === ':') {
      const [, topic, payload] = /^:([a-z]+):(.*)$/s.exec(message) ?? [];
      if (topic !== undefined) this.listeners.get(topic)?.(payload ?? '');
    } else if (kind === '?') {
      const [, id, topic, asked] = /^\?([0-9a-f]+):([a-z]+):(.*)$/s.exec(message) ?? [];
      const answerer = topic === undefined ? undefined : this.answerers.get(topic);
      if (!answerer) return;
      const busy = setTimeout(() => void this.wakeups.send(`~${id}`), BUSY_AFTER_MS);
      answerer(asked ?? '')
        .then(
          (answer) => this.wakeups.send(`!${id}:${answer}`),
          () => undefined,
        )
        .finally(() => clearTimeout(busy));
    } else if (kind === '~') {
      this.questions.get(message.slice(1))?.waitLonger();
    } else if (kind === '!') {
      const [, id, answer] = /^!([0-9a-f]+):(.*)$/s.exec(message) ?? [];
      const question = this.questions.get(id ?? '');
      if (!question) return;
      question.answers.push(answer ?? '');
      if (--question.missing === 0) question.done();
    }
  }
}
