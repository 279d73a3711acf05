import { checkAllowances } from './checks/allowances.js';
import { checkFiles } from './checks/files.js';
import { checkMessages } from './checks/messages.js';
import { checkOrder } from './checks/order.js';
import { checkAnswersOfReactions, checkRefusals } from './checks/refusals.js';
import { checkRegisters } from './checks/registers.js';
import { checkResets } from './checks/resets.js';
import { checkStates } from './checks/states.js';
import { checkStreams } from './checks/streams.js';
import { checkTenants } from './checks/tenants.js';
import { checkTimelines } from './checks/timelines.js';
import { checkTold } from './checks/told.js';
import { type History, type Violation } from './history.js';
import { groupBy } from '../../src/kernel/group-by.js';

/** Judges a history: pure, a history in, violations out. Each tenant is judged by itself. */
export function check(history: History): Violation[] {
  const violations = checkTenants(history);
  for (const [tenant, calls] of groupBy(history.calls, (call) => call.tenant)) {
    const sockets = history.sockets.filter((socket) => socket.tenant === tenant);
    const deliveries = history.deliveries.filter((delivery) => delivery.tenant === tenant);
    violations.push(
      ...checkMessages(calls),
      ...checkOrder(calls),
      ...checkStates(calls),
      ...checkRegisters(calls),
      ...checkRefusals(calls),
      ...checkAnswersOfReactions(calls),
      ...checkResets(calls),
      ...checkFiles(calls),
      ...checkTold({ ...history, calls, sockets, deliveries }),
      ...checkStreams(calls),
      ...checkTimelines(calls, deliveries, history),
      ...checkAllowances(calls, history.crashes),
    );
  }
  return violations;
}
