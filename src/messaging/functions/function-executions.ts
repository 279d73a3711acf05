import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newId, sha256Hex } from '../../kernel/ids/ids.js';
import type { App } from '../access/apps-access.js';
import { functionExecuted } from '../events/app-events.js';
import { FunctionTokens } from '../events/function-tokens.js';
import { MessagingError } from '../wire/codes.js';
import { hasAll, type AppFunction } from '../wire/app-functions.js';
import { FunctionExecution } from './function-execution.entity.js';
import { PRUNE_EXECUTIONS } from './function-executions.queries.js';
import { formatTs } from '../store/message-ts.js';
import { Token } from '../store/token.entity.js';

/** How long a step's token is good at most, in microseconds by the sandbox's clock. */
const TOKEN_LIFE = 24 * 3_600 * 1e6;
/** Executions that are kept of an app. */
const KEPT = 200;

/** How an execution ends. */
export type ExecutionEnd = { readonly outputs: Readonly<Record<string, unknown>> } | { readonly error: string };

/** Custom steps of apps (docs/reference/chat.md#custom-steps). */
@Injectable()
export class FunctionExecutions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly tokens: FunctionTokens,
  ) {}

  /** Begins a step in the name of a person and tells its app. Returns its id. */
  async begin(
    person: { readonly tenantId: number; readonly workspaceId: string; readonly userId: string },
    app: App,
    step: AppFunction,
    inputs: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { tenantId, workspaceId, userId } = person;
    const id = newId('Fx');
    const workflowExecutionId = newId('Wx');
    const startedAt = this.clock.nowMicros();
    const place = { workspaceId, appId: app.id };
    await this.db.write(async (tx) => {
      const started = { ...place, id, workflowExecutionId, userId, callbackId: step.callbackId, inputs, startedAt };
      await tx.sql.insert(FunctionExecution, started);
      await tx.sql.insert(Token, {
        ...place,
        hash: this.hashOf(id),
        kind: 'workflow',
        userId: app.botUserId,
        scopes: [...app.botScopes],
        expiresAt: startedAt + TOKEN_LIFE,
      });
      tx.record(
        functionExecuted({
          tenantId,
          ...place,
          step,
          inputs,
          executionId: id,
          workflowExecutionId,
          eventTs: formatTs(startedAt),
        }),
      );
      const old = await tx.query<{ id: string }>(PRUNE_EXECUTIONS, [workspaceId, app.id, KEPT]);
      if (old.length > 0) await tx.sql.delete(Token, { hash: In(old.map((one) => this.hashOf(one.id))) });
    });
    return id;
  }

  async find(workspaceId: string, id: string): Promise<FunctionExecution | null> {
    return this.db.load((rows) => rows.findOneBy(FunctionExecution, { workspaceId, id }));
  }

  /**
   * Ends a running execution of the app, and its token.
   * @param step what it is by the app's manifest; undefined: the manifest has it no longer
   * @throws MessagingError function_execution_not_found, execution_not_in_running_state, parameter_validation_failed
   */
  async end(
    tx: Tx,
    place: { readonly workspaceId: string; readonly appId: string },
    id: string,
    end: ExecutionEnd,
    stepOf: (callbackId: string) => AppFunction | undefined,
  ): Promise<void> {
    const where = { ...place, id };
    const execution = await tx.sql.findOne(FunctionExecution, { where, lock: { mode: 'pessimistic_write' } });
    if (!execution) throw new MessagingError('function_execution_not_found');
    if (execution.status !== 'running') throw new MessagingError('execution_not_in_running_state');
    const step = stepOf(execution.callbackId);
    if ('outputs' in end && step && !hasAll(step.outputs, end.outputs)) {
      throw new MessagingError('parameter_validation_failed');
    }
    await tx.sql.update(FunctionExecution, where, {
      ...end,
      status: 'outputs' in end ? ('completed' as const) : ('failed' as const),
    });
    await tx.sql.update(Token, { hash: this.hashOf(id) }, { revokedAt: () => 'now()' });
  }

  private hashOf(executionId: string): string {
    return sha256Hex(this.tokens.of(executionId));
  }
}
