// Starts and ends what a bench drives; every process it starts is ended by its id.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a script, waits until it answers on its port, and says how long that took in ms. */
export async function start(script, env = {}, args = [], { stderr = 'inherit' } = {}) {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, [script, ...args], {
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      SVC_LOG_LEVEL: 'warn',
      // raised, not off: the limiter does its work but never refuses
      SVC_RATE_LIMIT_MULTIPLIER: '10000000',
      SVC_TRACKER_REQUESTS_PER_HOUR: '1000000000',
      SVC_TRACKER_COMPLEXITY_PER_HOUR: '1000000000000',
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      ...env,
    },
    stdio: ['ignore', 'ignore', stderr],
  });
  running.add(child);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 60_000;
  while (
    !(await fetch(`${url}/api/health`).then(
      (r) => r.ok || r.status === 404,
      () => false,
    ))
  ) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${script} does not start`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    pid: child.pid,
    url,
    startMs: performance.now() - started,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 12_000);
      await exited;
      clearTimeout(timer);
      running.delete(child);
    },
  };
}

export const ADMIN_TOKEN = 'operator of the bench';

/** A tenant for the bench: POST /api/admin/provision. */
export async function provision(url, body) {
  const response = await fetch(`${url}/api/admin/provision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-token': ADMIN_TOKEN },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`provisioning: ${response.status} ${await response.text()}`);
  return response.json();
}
