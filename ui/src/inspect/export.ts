import { rest } from '../api/client.js';
import { download } from '../kit/download.js';
import type { Entry } from './entries.js';
import { toQuery, type Filters } from './filters.js';

/** Exports the entries of the filtered list in full, at most ten thousand. */
export async function exportEntries(teamId: string, filters: Filters): Promise<void> {
  const all: Entry[] = [];
  for (let before: string | undefined; all.length < 10_000;) {
    const query = toQuery(filters, {
      order: 'desc',
      limit: '1000',
      team_id: teamId,
      ...(before === undefined ? {} : { before }),
    });
    const page = await rest<{ entries: Entry[]; more: boolean }>(`GET /sandboxes/self/timeline?${query}`);
    all.push(...page.entries);
    before = page.entries.at(-1)?.id;
    if (!page.more || before === undefined) break;
  }
  download('timeline.json', all);
}

/** Exports the calls and deliveries of the filtered list for tools that read HAR. */
export async function exportHar(teamId: string, filters: Filters): Promise<void> {
  download('timeline.har', await rest(`GET /sandboxes/self/timeline.har?${toQuery(filters, { team_id: teamId })}`));
}
