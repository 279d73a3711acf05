import type { TrackerCaller } from './tracker.js';

/** The types of what somebody was told, the oldest first. */
export async function toldTo(caller: TrackerCaller): Promise<string[]> {
  return (await caller.client().notifications({ first: 50 })).nodes.map(({ type }) => type).reverse();
}
