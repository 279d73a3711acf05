import { filledIn } from '../../tenants/scripts/templates.js';
import { Api } from '../kit/api.js';
import { worldOf, type Step, type Task } from './task.js';

type Json = Record<string, unknown>;

/** What an assertion answered. */
export interface Verdict {
  readonly passed: boolean;
  readonly score: number;
  readonly failures: readonly { readonly message: string }[];
}

/** A step of a solution that was refused. */
export class RefusedStep extends Error {}

/** How long a check waits for what scripts and apps still do. */
const IDLE_MS = 5_000;

/**
 * A sandbox of its own for one attempt at a task, in which the same calls have the same answers. What steps send may
 * hold `{{refs.ask.ts}}`, `{{channels.ops}}`, `{{users.alice.user_id}}`, `{{teams.ENG.id}}` and of earlier answers `{{answers.0.ts}}`.
 */
export class Episode {
  private readonly answers: unknown[] = [];

  private constructor(
    private readonly api: Api,
    private readonly task: Task,
    private readonly id: string,
    private readonly names: Json,
  ) {}

  static async start(api: Api, task: Task): Promise<Episode> {
    const own = { id_space: 'own', deterministic: true, journal: true };
    const document = { ...worldOf(task), ...own, name: task.id, ttl_seconds: 3_600 };
    const made = await api.call<{ id: string; credentials: Json }>('POST', '/sandboxes', { body: document });
    const body = { ...task.seed, ...(task.script && { script: task.script }) };
    const seeded = await api.call<Json>('POST', api.sandbox(made.id, '/seed'), { body, query: { baseline: true } });
    for (const fault of task.faults ?? []) await api.call('POST', api.sandbox(made.id, '/faults'), { body: fault });
    const parts = ['refs', 'users', 'channels', 'teams'].map((part) => [
      part,
      { ...(made.credentials[part] as Json), ...(seeded[part] as Json) },
    ]);
    return new Episode(api, task, made.id, { ...made.credentials, ...Object.fromEntries(parts) });
  }

  /** @throws RefusedStep */
  async run(steps: readonly Step[]): Promise<void> {
    for (const [i, step] of steps.entries()) {
      const answer = await this.perform(step);
      const { ok, error, errors } = answer as { ok?: boolean; error?: string; errors?: { message: string }[] };
      const said = error ?? (errors ?? []).map(({ message }) => message).join('; ');
      const refused = ok === false || errors ? said : undefined;
      if (refused !== step.refused) {
        const what = refused === undefined ? `was not refused with ${step.refused}` : `was refused: ${refused}`;
        throw new RefusedStep(`step ${i + 1} ${what}`);
      }
      this.answers.push(answer);
    }
  }

  async judge(): Promise<Verdict> {
    await this.api.call('POST', this.api.sandbox(this.id, '/wait'), { body: { for: 'idle', timeout_ms: IDLE_MS } });
    const { expect, nothing_else } = this.task;
    return this.api.call<Verdict>('POST', this.api.sandbox(this.id, '/assert'), { body: { expect, nothing_else } });
  }

  async close(): Promise<void> {
    await this.api.call('DELETE', this.api.sandbox(this.id));
  }

  private async perform(step: Step): Promise<unknown> {
    const { as, call, args = {}, graphql, variables = {}, advance } = step;
    if (advance !== undefined) {
      return this.api.call('POST', this.api.sandbox(this.id, '/clock/advance'), { body: { seconds: advance } });
    }
    const fill = (value: Json): Json => filledIn(value, { ...this.names, answers: this.answers }) as Json;
    const people = this.names['users'] as Record<string, { access_token: string }>;
    const person = as === undefined ? undefined : people[as]?.access_token;
    if (as !== undefined && person === undefined) throw new RefusedStep(`nobody is called ${as}`);
    const agent = String(this.names[graphql === undefined ? 'bot_token' : 'api_key']);
    const token = person === undefined && graphql !== undefined ? agent : `Bearer ${person ?? agent}`;
    const base = this.api.base;
    const url = graphql === undefined ? `${base}/${call}` : base.replace(/\/api$/, '/graphql');
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(graphql === undefined ? fill(args) : { query: graphql, variables: fill(variables) }),
    });
    return response.json();
  }
}
