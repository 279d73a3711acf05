import { rest } from './client.js';

interface Summary {
  id: string;
  trigger_id?: string;
}

/** An attempt appears on the timeline a moment after its call was answered. */
const LOOKS_MS = [0, 200, 600, 1_200];

/**
 * The delivery in which an app was called for a request, found by the call's trigger; null when it was not recorded or
 * this person may not read the timeline.
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
    // people who may not read the timeline are sent to the list, which tells them so
  }
  return null;
}

/** The link to the request of a call. */
export async function pathOfRequest(teamId: string, requestId: string | undefined): Promise<string> {
  const entry = await deliveryOf(requestId);
  return entry === null ? `/w/${teamId}/deliveries` : `/w/${teamId}/inspect/${entry}`;
}
