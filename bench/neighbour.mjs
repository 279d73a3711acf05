// The calls of a tenant that does nobody any harm, ten times a second: how long they take while others do their worst.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 100;

export const send = (url, path, authorization, body) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Memory of a process in MiB; 0 where /proc does not exist. */
function residentMib(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Makes the neighbour's calls until `isOver`. Returns p99 in ms, the slowest, every answer that was not 200, and with
 * the server's `pid` by how many MiB its memory grew at most.
 * @param t { bot, key, channels }: its credentials as headers, and where it posts
 */
export async function ask(url, t, isOver, pid) {
  const times = [];
  let refused = 0;
  const under = [];
  const one = async (path, authorization, body) => {
    const began = performance.now();
    try {
      const answer = await send(url, path, authorization, body);
      const said = await answer.json();
      if (answer.status !== 200 || said.ok === false || said.errors !== undefined) refused++;
    } catch {
      refused++;
    }
    times.push(performance.now() - began);
  };
  const before = residentMib(pid);
  let peak = before;
  while (!isOver()) {
    under.push(one('/api/auth.test', t.bot, {}));
    under.push(one('/api/chat.postMessage', t.bot, { channel: t.channels[0], text: 'calm' }));
    under.push(one('/graphql', t.key, { query: '{ viewer { id } }' }));
    await sleep(PAUSE_MS);
    peak = Math.max(peak, residentMib(pid));
  }
  await Promise.all(under);
  peak = Math.max(peak, residentMib(pid));
  times.sort((a, b) => a - b);
  const p99 = times[Math.ceil(times.length * 0.99) - 1];
  return { p99, slowest: times.at(-1), calls: times.length, refused, grownMib: peak - before };
}

/** The slowest that a neighbour's p99 may become, in ms. */
export const barOf = (quiet) => Math.min(250, Math.max(50, 5 * quiet.p99));

// forked: it asks from `begin` to `end`, and ends with the parent
if (process.send) {
  let isOver = true;
  process.on('message', ({ begin }) => {
    isOver = begin === undefined;
    if (begin) void ask(begin.url, begin.tenant, () => isOver, begin.pid).then((seen) => process.send(seen));
  });
  process.once('disconnect', () => process.exit());
}
