import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { attempt, CREDENTIALS, SETTINGS, refusedCleanly, succeeded, type Outcome } from '../support/load.js';
import { eventually } from '../support/receiver.js';
import { Relay } from '../support/relay.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const post = (server: ServerProcess, text: string): Promise<Outcome> =>
  attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, { channel: '#general', text });
const read = (server: ServerProcess): Promise<Outcome> =>
  attempt(`${server.baseUrl}/graphql`, CREDENTIALS.api_key, {
    query: '{ issues(first: 5, orderBy: updatedAt) { nodes { id } } teams { nodes { id } } }',
  });
const rename = (server: ServerProcess, topic: string): Promise<Outcome> =>
  attempt(`${server.baseUrl}/api/users.profile.set`, `Bearer ${CREDENTIALS.user_token}`, {
    profile: { status_text: topic },
  });

/** Calls of all kinds at once, several rounds of them; answers the outcomes. */
async function calls(server: ServerProcess, rounds: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const caller = async (kind: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const call = [post, () => read(server), rename][kind % 3] as typeof post;
      outcomes.push(await call(server, `${kind} ${round}`));
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, kind) => caller(kind)));
  return outcomes;
}

/** docs/reference/limits.md#time-limits */
describe.skipIf(serverUrl === undefined)(
  `connections to PostgreSQL that do not answer${onPostgres}`,
  { timeout: 180_000 },
  () => {
    beforeAll(ensureBuilt, 300_000);

    async function behindRelay(sessions?: number): Promise<{ relay: Relay; server: ServerProcess }> {
      const database = await createDatabase();
      onTestFinished(database.drop);
      const relay = await Relay.to(database.url);
      onTestFinished(() => relay.close());
      if (sessions !== undefined) relay.limitSessions(sessions);
      const server = await ServerProcess.start({ DATABASE_URL: relay.through(database.url), ...SETTINGS });
      onTestFinished(async () => void (await server.kill('SIGTERM')));
      return { relay, server };
    }

    it.each([3, 8])('%i of ten of them delay no call beyond 7 s, and are replaced', async (silent) => {
      const { relay, server } = await behindRelay();
      expect((await calls(server, 5)).filter((outcome) => !succeeded(outcome))).toEqual([]);
      expect(relay.holdSome('understudy', silent)).toBeGreaterThanOrEqual(1);
      const outcomes = await calls(server, 3);
      expect(outcomes.filter((outcome) => !succeeded(outcome) && !refusedCleanly(outcome))).toEqual([]);
      expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(7_500);
      await eventually(async () => (await calls(server, 2)).every(succeeded), 'all are replaced');
    });

    it('that a small pooler lets in without a session for them delay no call beyond 7 s', async () => {
      // one of them listens for events of other replicas
      const { server } = await behindRelay(4);
      const outcomes = await calls(server, 4);
      expect(outcomes.filter((outcome) => !succeeded(outcome) && !refusedCleanly(outcome))).toEqual([]);
      expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(7_500);
      expect(outcomes.filter(succeeded).length).toBeGreaterThan(outcomes.length / 4);
      await eventually(async () => succeeded(await post(server, 'after')), 'serves again');
    });
  },
);
