import { rest } from './client.js';

interface Summary {
  id: string;
  target?: { kind?: string };
  trigger_id?: string;
}

/** The newest delivery of a kind on the timeline; null where nothing is recorded, or for who may not look. */
export async function newestRequest(kind: 'interaction' | 'command'): Promise<string | null> {
  try {
    const answer = await rest<{ entries: Summary[] }>(
      'GET /sandboxes/self/timeline?kind=delivery&order=desc&limit=20&view=summary',
    );
    const isSought = (entry: Summary): boolean =>
      entry.target?.kind === kind || (entry.target?.kind === 'socket' && entry.trigger_id !== undefined);
    return answer.entries.find(isSought)?.id ?? null;
  } catch {
    return null;
  }
}
