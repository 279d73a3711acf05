// Measures search.messages over the messages of seed.mjs: one call after the other, as people search.
import { machine, number, report, table } from '../report.mjs';

/** Queries over the seeded messages; `from:` needs the name of an author. */
export const searchQueries = (author) => ({
  selective: 'quetzalcoatl',
  common: 'the',
  twoLetters: 'go',
  from: `from:${author}`,
  // neither rare nor common: answered by the text index although scanning would be almost as fast
  middling: 'holiday',
  combined: `quetzalcoatl from:${author} -deploy`,
});

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];

/**
 * Calls each query `calls` times, alternating between queries, after a warm-up. The server's rate tiers must be raised.
 * @returns by query: p50 and p99 in ms, and the number of results
 */
export async function run(serverUrl, token, { calls = 100, author = 'admin' } = {}) {
  const queries = Object.entries(searchQueries(author));
  const times = Object.fromEntries(queries.map(([name]) => [name, []]));
  const totals = {};
  for (let n = -3; n < calls; n++) {
    for (const [name, query] of queries) {
      const start = performance.now();
      const response = await fetch(`${serverUrl}/api/search.messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const answer = await response.json();
      if (!answer.ok) throw new Error(`${query}: ${answer.error}`);
      if (n >= 0) times[name].push(performance.now() - start);
      totals[name] = answer.messages.total;
    }
  }
  return Object.fromEntries(
    queries.map(([name, query]) => {
      const sorted = times[name].sort((a, b) => a - b);
      return [name, { query, total: totals[name], p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }];
    }),
  );
}

/** p99 targets in ms, by query; the others are shown for comparison. */
const SEARCH_TARGETS = { selective: 50, common: 150, twoLetters: 150, from: 150 };

export async function searchFigures(server, t, messages) {
  const found = await run(server.url, t.auth.authorization.slice(7), { author: 'user1' });
  report(
    'Search',
    `${machine()}; over ${number(messages)} messages of one workspace, one call after the other.\n\n\`DATABASE_URL=… npm run bench -- chat --scenario=search --write\`\n\n` +
      table(
        ['query', 'found', 'p50 ms', 'p99 ms', 'target p99'],
        Object.entries(found).map(([name, { query, total, p50, p99 }]) => {
          const target = SEARCH_TARGETS[name];
          const judged = target === undefined ? '–' : `${target} ${p99 <= target ? 'met' : 'missed'}`;
          return [`\`${query}\``, number(total), number(p50), number(p99), judged];
        }),
      ),
  );
}
