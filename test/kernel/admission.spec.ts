import { beforeEach, describe, expect, it } from 'vitest';
import { Admission, type Turn, type Tenant } from '../../src/kernel/tenancy/admission.js';

/** docs/reference/limits.md#overload, with a clock that the spec controls. */
describe('Admission', () => {
  let now: number;
  let waitingForStore: number;
  let admission: Admission;
  /** The admitted calls in order, and the refused ones. */
  let admitted: string[];
  let refused: string[];
  let serve: () => void;

  beforeEach(() => {
    [now, waitingForStore, admitted, refused] = [0, 0, [], []];
    let due: (() => void)[] = [];
    serve = () => {
      const all = due;
      due = [];
      for (const run of all) run();
    };
    admission = new Admission(
      () => waitingForStore,
      () => now,
      (run) => due.push(run),
    );
  });

  function call(tenant: Tenant, name = String(tenant)): Turn | undefined {
    const turn = admission.enter(tenant);
    if (!turn) return undefined;
    if (turn.isWaiting) turn.whenDecided((isAdmitted) => (isAdmitted ? admitted : refused).push(name));
    else admitted.push(name);
    return turn;
  }
  const calls = (count: number, tenant: Tenant): Turn[] =>
    Array.from({ length: count }, (_, n) => call(tenant, `${tenant}.${n}`) as Turn);
  /** Measures a delay of the event loop, 20 ms after the previous measurement. */
  const look = (lateMs: number): void => {
    now += 20;
    admission.tick(lateMs);
    serve();
  };
  /** Reports delays until the level has reached its minimum. */
  const overload = (): void => {
    for (let n = 0; n < 8; n++) look(50);
  };

  it('admits sixteen calls at once, twice as many after each measurement without delay, and finally all', () => {
    calls(2, 1);
    calls(2, 2);
    expect(admission.isCalm).toBe(true);
    const some = calls(200, 2);
    expect(admission.isCalm).toBe(false);
    const counts = [0, 0, 0, 0].map(() => {
      look(0);
      return admitted.length;
    });
    expect(counts).toEqual([34, 66, 130, 204]);
    for (const turn of some) turn.leave();
    look(0);
    expect(calls(200, 1).filter(({ isWaiting }) => !isWaiting).length).toBeGreaterThan(100);
  });

  it('admits all calls of a single tenant', () => {
    calls(100, 1);
    look(50);
    expect(admitted).toHaveLength(100);
  });

  it('halves the level of the busiest tenant while the event loop is late, down to one running call', () => {
    const loud = calls(64, 1);
    call(2);
    look(50);
    for (const turn of loud.splice(0, 56)) turn.leave();
    expect(call(1, 'at the level')?.isWaiting).toBe(true);
    overload();
    for (const turn of loud.splice(0, 7)) turn.leave();
    serve();
    expect(admitted).not.toContain('at the level');
    loud[0]!.leave();
    serve();
    expect(admitted.at(-1)).toBe('at the level');
    expect(call(1)?.isWaiting).toBe(true);
  });

  it('also does so while the event loop is busy, and reports the level', () => {
    expect(admission.levelOf(1)).toBe(Infinity);
    calls(64, 1);
    call(2);
    const levels = [0.9, 0.9, 0.5, 0.9].map((busy) => {
      now += 20;
      admission.tick(0, busy);
      return admission.levelOf(1);
    });
    expect(levels).toEqual([8, 4, 4, 2]);
  });

  it('does not limit a tenant with few calls', () => {
    calls(64, 1);
    calls(4, 2);
    overload();
    expect(calls(2, 2).map(({ isWaiting }) => isWaiting)).toEqual([false, false]);
    expect(call(1)?.isWaiting).toBe(true);
  });

  it('does not limit a tenant while no other tenant calls', () => {
    calls(64, 1);
    overload();
    expect(calls(64, 1).some(({ isWaiting }) => isWaiting)).toBe(false);
    call(2);
    overload();
    expect(call(1)?.isWaiting).toBe(true);
    // the other tenant is no longer active
    now += 1_100;
    look(50);
    expect(call(1)?.isWaiting).toBe(false);
  });

  it('admits one more call every 100 ms when there are no delays', () => {
    const loud = calls(64, 1);
    call(2);
    overload();
    for (const turn of loud.slice(0, 63)) turn.leave();
    calls(10, 1);
    admitted = [];
    for (let n = 0; n < 5; n++) look(0);
    expect(admitted).toEqual(['1.0']);
    for (let n = 0; n < 5; n++) look(0);
    expect(admitted).toEqual(['1.0', '1.1']);
  });

  it('serves the queues of tenants in turn', () => {
    const [one, other] = [calls(32, 1), calls(32, 2)];
    overload();
    const [[next], [nextOther]] = [calls(3, 1), calls(3, 2)];
    admitted = [];
    for (const turn of [...one, ...other]) turn.leave();
    serve();
    // the second has had calls waiting since before
    expect(admitted).toEqual(['2.0', '1.0']);
    for (const turn of [next!, nextOther!]) turn.leave();
    serve();
    expect(admitted).toEqual(['2.0', '1.0', '2.1', '1.1']);
  });

  it('refuses further calls of a tenant with 200 calls waiting here and for the store, and of no other', () => {
    calls(64, 1);
    call(2);
    overload();
    waitingForStore = 150;
    expect(calls(51, 1).filter(Boolean)).toHaveLength(50);
    waitingForStore = 0;
    expect(calls(151, 1).filter(Boolean)).toHaveLength(150);
    waitingForStore = 200;
    expect(call(2)?.isWaiting).toBe(false);
  });

  it('refuses a call that has waited for five seconds', () => {
    calls(64, 1);
    call(2);
    overload();
    call(1, 'late');
    now += 5_001;
    call(2);
    look(50);
    expect(refused).toEqual(['late']);
  });

  it('removes a call whose caller disconnects while it waits, and serves the next', () => {
    const loud = calls(64, 1);
    call(2);
    overload();
    const [gone] = calls(2, 1);
    gone!.leave();
    admitted = [];
    for (const turn of loud) turn.leave();
    serve();
    expect(admitted).toEqual(['1.1']);
  });

  it('does not count calls that wait for something external, and resumes them at once', () => {
    const loud = calls(64, 1);
    call(2);
    overload();
    const waiting = call(1, 'next') as Turn;
    for (const turn of loud) turn.stepOut();
    serve();
    expect(waiting.isWaiting).toBe(false);
    // stepping out twice requires stepping in twice
    loud[0]!.stepOut();
    loud[0]!.stepIn();
    for (const turn of loud) turn.stepIn();
    loud[0]!.stepIn();
    const last = call(1) as Turn;
    expect(last.isWaiting).toBe(true);
    for (const turn of loud) turn.leave();
    waiting.leave();
    serve();
    expect(last.isWaiting).toBe(false);
  });

  it('counts a call for its tenant as soon as the tenant is known', () => {
    const unknown = Array.from({ length: 64 }, (_, n) => call(`Bearer ${n}`) as Turn);
    for (const turn of unknown) turn.belongsTo(1);
    call(2);
    overload();
    expect(call(1)?.isWaiting).toBe(true);
    expect(call('Bearer 0')?.isWaiting).toBe(false);
  });
});
