import { rest } from './client.js';

interface Summary {
  id: string;
  trigger_id?: string;
}

/** An attempt stands in the timeline a moment after its call was answered. */
const LOOKS_MS = [0, 200, 600, 1_200];

/**
 * The delivery by which an app was asked on behalf of a call, by its trigger; null where it is not kept, or for who may
 * not look.
 */
export async function deliveryOf(requestId: string | undefined): Promise<string | null> {
  if (requestId === undefined) return null;
  const query = new URLSearchParams({
    kind: 'delivery',
    where: JSON.stringify({ cause: requestId }),
    order: 'desc',
    limit: '20',
    view: 'summary',
  });
  try {
    for (const wait of LOOKS_MS) {
      await new Promise((passed) => setTimeout(passed, wait));
      const { entries } = await rest<{ entries: Summary[] }>(`GET /sandboxes/self/timeline?${query.toString()}`);
      const found = entries.find((entry) => entry.trigger_id !== undefined);
      if (found) return found.id;
    }
  } catch {
    // who may not look is led to the list, which says so
  }
  return null;
}

/** Where the request of a call is seen. */
export async function pathOfRequest(teamId: string, requestId: string | undefined): Promise<string> {
  const entry = await deliveryOf(requestId);
  return entry === null ? `/w/${teamId}/deliveries` : `/w/${teamId}/inspect/${entry}`;
}
