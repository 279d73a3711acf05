// Load from autocannon, CPU from /proc: the cost and throughput of one round of a scenario.
import { readFileSync, readdirSync } from 'node:fs';
import autocannon from 'autocannon';

const TICKS_PER_SECOND = 100; // USER_HZ on Linux

/** CPU seconds that a process has used, its threads included; 0 where /proc does not exist. */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** CPU seconds of all PostgreSQL server processes of this machine: load runs one at a time, so the difference is its own. */
export function postgresCpuSeconds() {
  let sum = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (/^postgres\0?|postgres:/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) sum += cpuSeconds(pid);
    } catch {
      // the process has ended
    }
  }
  return sum;
}

/** CPU seconds of a process and of its children, those that have ended included: the server with its embedded database. */
function treeCpuSeconds(pid) {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const sum = (of) => {
    let seconds = cpuSeconds(of) + endedCpuSeconds(of);
    for (const child of found) if (child.parent === of) seconds += sum(child.pid);
    return seconds;
  };
  return sum(pid);
}

function endedCpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

const startsOk = (body) => body.startsWith('{"ok":true');

/**
 * One bounded round against a server: calls a second, latencies in ms, CPU per call in µs.
 * @param restMs what the server does in this time afterwards counts, too
 * @param servername whose certificate is asked for, where the server speaks TLS under another name
 * @param request ({ n }) => { path, body?, method?, headers? }: the n-th request of the round
 */
export async function round(server, { connections, seconds, request, servername, accepted = startsOk, restMs = 0 }) {
  let n = 0;
  const before = { cpu: cpuSeconds(server.pid), tree: treeCpuSeconds(server.pid), postgres: postgresCpuSeconds() };
  const instance = autocannon({
    url: server.url,
    ...(servername && { servername }),
    connections,
    duration: seconds,
    verifyBody: (body) => accepted(body),
    requests: [
      {
        setupRequest: (template) => {
          const { path, body, method = 'POST', headers } = request({ n: n++ });
          return {
            ...template,
            method,
            path,
            headers: { 'content-type': 'application/json', ...headers },
            body: body === undefined ? undefined : JSON.stringify(body),
          };
        },
      },
    ],
  });
  const result = await instance;
  const calls = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0 || result.mismatches > 0 || calls === 0) {
    const { non2xx, errors, mismatches } = result;
    throw new Error(
      `a round failed: ${calls} answers, of them ${mismatches} wrong, ${non2xx} refused, ${errors} errors`,
    );
  }
  await new Promise((resolve) => setTimeout(resolve, restMs));
  return {
    rate: calls / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMicros: ((cpuSeconds(server.pid) - before.cpu) / calls) * 1e6,
    treeMicros: ((treeCpuSeconds(server.pid) - before.tree) / calls) * 1e6,
    postgresMicros: ((postgresCpuSeconds() - before.postgres) / calls) * 1e6,
  };
}

export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

/** Medians of every figure over rounds. */
export const medians = (rounds) =>
  Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, median(rounds.map((r) => r[key]))]));

/** After some seconds of rest: memory of a process and its children in MB, shared pages counted in proportion (PSS). */
export async function idleMemory(pid, seconds = 2) {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const isOurs = (of) => of === pid || (parents.has(of) && isOurs(parents.get(of)));
  let kilobytes = 0;
  for (const of of [...parents.keys()].filter(isOurs)) {
    const rollup = readFileSync(`/proc/${of}/smaps_rollup`, 'utf8');
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

function parentOf(pid) {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1],
    );
  } catch {
    return 0; // the process has ended
  }
}
