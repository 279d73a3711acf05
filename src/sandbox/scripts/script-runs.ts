import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { Sessions } from '../../auth/sessions.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { outside } from '../../kernel/http/call-context.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ownCallHeader } from '../../kernel/http/own-calls.js';
import { derivedUuid, newRequestId } from '../../kernel/ids/ids.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxAccess } from '../access/sandbox-access.js';
import { Sandboxes } from '../sandboxes/sandboxes.service.js';
import { Recorder } from '../timeline/recorder.js';
import { FINISH, PUT_BACK, TAKE_DUE, type TakenRow } from './scripts.queries.js';

/** The longest chain of acts that set each other off. */
const MAX_CHAIN = 10;
/** How long an act of a replica that is gone waits for another one; acts take much less. */
const LEASE_MS = 10_000;
/** How soon an act is tried again that this server was too busy for. */
const AGAIN_MS = 250;

/** What became of an act. */
interface Outcome {
  readonly result?: Readonly<Record<string, unknown>>;
  /** What it was refused with. */
  readonly error?: string;
}

/** Does what is due by scripts: as calls of their people, through all checks of a call from outside. */
@Injectable()
export class ScriptRuns {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly access: SandboxAccess,
    private readonly sandboxes: Sandboxes,
    private readonly sessions: Sessions,
    private readonly recorder: Recorder,
    private readonly http: HttpAdapterHost,
    private readonly reader: SandboxReader,
  ) {}

  /**
   * Does what is due in a sandbox, in order. Returns how many acts that were; none while another replica is at it.
   * @param isMoved its clock is being moved
   */
  async run(tenantId: number, isMoved: boolean, stopped: () => boolean = () => false): Promise<number> {
    for (let done = 0; ; done++) {
      if (stopped()) return done;
      const values = [tenantId, newRequestId(), this.clock.wallOffsetMicros, LEASE_MS, isMoved];
      const [taken] = await this.db.run<TakenRow>(TAKE_DUE, values);
      if (!taken) return done;
      const { name, requestId } = taken;
      const outcome = await outside(() => this.perform(tenantId, taken));
      if (!outcome) {
        await this.db.run(PUT_BACK, [tenantId, name, requestId, AGAIN_MS]);
        return done;
      }
      const finished = await this.db.run(FINISH, [tenantId, name, requestId, outcome.error ?? null]);
      if (finished.length > 0) this.record(tenantId, taken, outcome);
    }
  }

  /** Undefined: it could not be done now. */
  private async perform(tenantId: number, taken: TakenRow): Promise<Outcome | undefined> {
    if (taken.chain > MAX_CHAIN) return { error: 'chain_too_long' };
    const sandbox = await this.access.ofTenant(tenantId);
    if (!sandbox) return { error: 'sandbox_not_found' };
    try {
      const claims = { client: 'script', acted_by: 'script' };
      const { person, sid, token } = await this.sandboxes.signInFor(sandbox, taken.as, claims);
      try {
        return await this.call(taken, token, this.reader.read(sandbox.flags) as SandboxFlags);
      } finally {
        await this.sessions.end(person.id, sid);
      }
    } catch (error) {
      if (error instanceof RestError && error.getStatus() < 500) return { error: error.code };
      throw error;
    }
  }

  private async call(taken: TakenRow, token: string, sandbox: SandboxFlags): Promise<Outcome | undefined> {
    const { act, fields, requestId, isRepeated } = taken;
    const fastify = this.http.httpAdapter.getInstance() as FastifyInstance;
    const { statusCode, payload } = await fastify.inject({
      method: 'POST',
      url: `/api/act/${act}`,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json; charset=utf-8',
        ...ownCallHeader(requestId),
      },
      payload: JSON.stringify({ ...fields, ...onceOnly(taken, sandbox), wait_ms: 0, until: 'none' }),
    });
    if (statusCode >= 500 && statusCode !== 502) return undefined;
    const body: unknown = JSON.parse(payload);
    const { result, message } = (isObject(body) ? body : {}) as { result?: Record<string, unknown>; message?: unknown };
    if (statusCode === 200) return { result: result ?? {} };
    const error = String(Array.isArray(message) ? message[0] : message);
    // a replica that is gone had done it
    return isRepeated && WAS_DONE.test(error) ? { result: {} } : { error };
  }

  private record(tenantId: number, { name, act, as, cause, requestId }: TakenRow, { result, error }: Outcome): void {
    // views can be long, and are on the timeline with the call
    const { view: _view, ...shown } = result ?? {};
    this.recorder.add({
      tenantId,
      atMs: null,
      wallMs: this.clock.wallMs(),
      kind: 'script',
      head: { name, act, as, ...(error === undefined ? { result: shown } : { error }), request_id: requestId, cause },
      body: {},
    });
  }
}

/** Answers to an act that was done before. */
const WAS_DONE = /^(already_|no_reaction$|not_in_channel$|message_not_found$)|already exists/;

/**
 * By which an act that is repeated, as its replica died, is known to be the same; where ids are the sandbox's own, the
 * same act has the same in each.
 */
function onceOnly({ act, name, number, requestId }: TakenRow, { ids, randomSeed }: SandboxFlags): object {
  const seen = derivedUuid(ids ? `${randomSeed}:script:${name}:${number}` : requestId);
  const id = ids?.inside(seen) ?? seen;
  if (act === 'message') return { client_msg_id: id };
  return act === 'issue_create' || act === 'comment' ? { id } : {};
}
