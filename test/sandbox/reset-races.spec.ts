import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

const WRITERS = 50;
const RESETS = 100;

/** The answer to a call, made again while fifty writers leave no place for it (503). */
async function onceServed(call: () => ReturnType<typeof send>): Promise<Awaited<ReturnType<typeof send>>['body']> {
  let answer = await call();
  for (let tries = 1; answer.status === 503 && tries < 20; tries++) answer = await call();
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

// docs/reference/sandboxes.md#reset
describe('Resets with concurrent writers', () => {
  const app = useApp();

  it(
    'remove every write answered before them, and leave no trace of any write at the end',
    { timeout: 240_000 },
    async () => {
      const made = await makeSandbox(app, {
        rate_limit_multiplier: 0,
        channels: [{ name: 'ops', members: ['default-app'], messages: 3 }],
        tracker: { teams: [{ key: 'ENG', issues: [{ title: 'there', ref: 'there' }] }] },
      });
      const { credentials } = made.body;
      const bot = bearer(credentials.bot_token);
      const key = { authorization: String(credentials.api_key) };
      const channel = credentials.channels.ops;
      const graphql = (query: string): ReturnType<typeof send> => send(app, 'POST', '/graphql', key, { query });
      const reset = (): ReturnType<typeof send> => send(app, 'POST', '/api/sandboxes/self/reset', made.ctl, {});
      const size = async (): Promise<object> =>
        (
          await app.store.dataSource.query('SELECT rows FROM sandboxes s, sandbox_size(s.tenant_id) WHERE s.id = $1', [
            made.body.id,
          ])
        )[0];
      const searchable = async (): Promise<object> =>
        (
          await app.store.dataSource.query('SELECT count(*)::int AS n FROM message_search WHERE conversation_id = $1', [
            channel,
          ])
        )[0];
      // seeded messages become searchable with the first search, or after a minute
      await send(app, 'POST', '/api/search.messages', bearer(credentials.user_token), { query: 'there' });
      const before = [await size(), await searchable()];
      expect(before[1]).toEqual({ n: 3 });

      /** The answered writes since the last reset but one. */
      let answered: string[] = [];
      const everGiven = new Set<string>();
      let isOver = false;
      const post = async (): Promise<void> => {
        const { status, body } = await send(app, 'POST', '/api/chat.postMessage', bot, { channel, text: 'written' });
        if (status !== 200 || !body.ok) return expect([status, body.error]).toEqual([503, 'service_unavailable']);
        // no client sees the same ts twice
        expect(everGiven.has(body.ts)).toBe(false);
        everGiven.add(body.ts);
        answered.push(body.ts);
      };
      const file = async (): Promise<void> => {
        const { body } = await graphql(
          `mutation { issueCreate(input: { teamId: "${credentials.teams.ENG.id}", title: "written" }) { issue { id } } }`,
        );
        const id = body.data?.issueCreate?.issue.id as string | undefined;
        if (id !== undefined) answered.push(id);
      };
      const writers = Array.from({ length: WRITERS }, async (_, n) => {
        while (!isOver) await (n % 10 === 0 ? file() : post());
      });
      try {
        for (let resets = 0; resets < RESETS; resets++) {
          const earlier = new Set(answered);
          const done = await reset();
          expect(done.status, JSON.stringify(done.body)).toBe(200);
          const history = onceServed(() =>
            send(app, 'POST', '/api/conversations.history', bot, { channel, limit: 999 }),
          );
          const issues = onceServed(() => graphql('{ issues(first: 250) { nodes { id } } }'));
          const [{ messages }, { data }] = [await history, await issues];
          const there = [
            ...messages.map(({ ts }: { ts: string }) => ts),
            ...data.issues.nodes.map(({ id }: { id: string }) => id),
          ];
          expect(there.filter((one: string) => earlier.has(one))).toEqual([]);
          answered = answered.filter((one) => !earlier.has(one));
        }
      } finally {
        isOver = true;
        await Promise.all(writers);
      }
      expect(everGiven.size).toBeGreaterThan(WRITERS);
      await reset();
      expect([await size(), await searchable()]).toEqual(before);
      const { body } = await send(app, 'GET', '/api/sandboxes/self/changes', made.ctl);
      expect(body.counts).toEqual({ added: {}, changed: {}, removed: {} });
    },
  );
});
