import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox, type Answer } from '../support/sandbox.js';

/** Many at once, no more than the server likes to hear at a time. */
async function many(count: number, make: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) answers.push(await make(next++));
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  return answers;
}

const refusals = (answers: readonly Answer[]): unknown[] =>
  answers.filter(({ status }) => status !== 201).map(({ status, body }) => [status, body.message]);

describe('what a sandbox may have of a kind', () => {
  const app = useApp();

  it('is at most 1,000 faults, however many ask at once', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = { on: { method: 'pins.list' }, fault: { type: 'drop' } };
    const made = await many(1_005, () => sandbox.control('POST', '/faults', fault));
    expect(refusals(made)).toEqual(Array.from({ length: 5 }, () => [409, 'too_many_faults']));
    expect((await sandbox.control('GET', '/faults')).body.faults).toHaveLength(1_000);
  });

  it('is at most 1,000 delivery rules, however many ask at once', async () => {
    const sandbox = await TestSandbox.make(app);
    const rule = { on: { event: 'pin_added' }, do: { type: 'drop' } };
    const made = await many(1_005, () => sandbox.control('POST', '/delivery-rules', rule));
    expect(refusals(made)).toEqual(Array.from({ length: 5 }, () => [409, 'too_many_delivery_rules']));
    expect((await sandbox.control('GET', '/delivery-rules')).body.delivery_rules).toHaveLength(1_000);
  });

  it('keeps a fault that is made while another goes', async () => {
    const sandbox = await TestSandbox.make(app);
    const fault = { on: { method: 'auth.test' }, fault: { type: 'error', error: 'fatal_error' }, times: null };
    let last = (await sandbox.control('POST', '/faults', fault)).body.id as string;
    for (let i = 0; i < 20; i++) {
      const [made] = await Promise.all([
        sandbox.control('POST', '/faults', fault),
        sandbox.control('DELETE', `/faults/${last}`),
      ]);
      last = made.body.id as string;
      expect((await sandbox.call('auth.test', {})).body.error).toBe('fatal_error');
    }
  });
});
