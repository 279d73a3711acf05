import { rest } from '../api/client.js';
import type { Entry } from './entries.js';
import { toQuery, type Filters } from './filters.js';

/** Leaves a file with the browser. */
export function download(name: string, content: unknown): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Whole entries of the filtered list, at most ten thousand. */
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

export const exportHar = (teamId: string, filters: Filters): Promise<unknown> =>
  rest(`GET /sandboxes/self/timeline.har?${toQuery(filters, { team_id: teamId })}`);
