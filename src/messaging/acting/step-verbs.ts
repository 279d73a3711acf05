import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import { hasBot } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { FunctionExecutions } from '../functions/function-executions.js';
import { functionOf, hasAll } from '../wire/app-functions.js';
import { cleanJson } from '../wire/text.js';
import { ActNames } from './act-names.js';
import type { Fields } from './fields.js';
import type { VerbResult, Verbs } from './verbs.js';

/** People's actions on custom steps, in place of a workflow that has them (docs/reference/chat.md#custom-steps). */
@Injectable()
export class StepVerbs {
  readonly all: Verbs;

  constructor(
    private readonly names: ActNames,
    private readonly executions: FunctionExecutions,
  ) {
    this.all = {
      run_step: { until: 'reply', isDirect: false, run: (person, fields) => this.run(person, fields) },
    };
  }

  private async run(person: Identity, fields: Fields): Promise<VerbResult> {
    const app = await this.names.app(person, fields.optional('app_id'));
    const callbackId = fields.text('callback_id');
    const inputs = cleanJson(fields.object('inputs') ?? {}) as Readonly<Record<string, unknown>> | undefined;
    const step = hasBot(app) ? functionOf(app, callbackId) : undefined;
    if (!step) throw new RestError(404, 'function_not_found');
    if (!inputs || !hasAll(step.inputs, inputs)) throw new RestError(400, 'invalid_inputs');
    const id = await this.executions.begin(person, app, step, inputs);
    const now = () => this.executions.find(person.workspaceId, id);
    return {
      result: { function_execution_id: id },
      isAnswered: async () => (await now())?.status !== 'running',
      later: async () => {
        const { status = 'running', outputs = {}, error = null } = (await now()) ?? {};
        return { function_execution_id: id, status, outputs, error };
      },
    };
  }
}
