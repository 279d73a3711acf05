import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

const app = useApp();

it('threads, reactions, subscribers and archived issues are seeded, and exported as they were', async () => {
  const tracker = {
    teams: [
      {
        key: 'ENG',
        issues: [
          {
            title: 'One',
            number: 1,
            as: 'bob',
            subscribers: ['dave'],
            reactions: { tada: ['bob', 'carol'], '+1': ['bob'] },
            comments: [
              {
                as: 'bob',
                body: 'Why?',
                at: '2026-01-01T00:00:00.000Z',
                resolved: 'carol',
                reactions: { eyes: ['carol'] },
                replies: [{ as: 'carol', body: 'So.', at: '2026-01-01T00:00:01.000Z', reactions: { heart: ['bob'] } }],
              },
            ],
          },
          { title: 'Old', number: 2, archived: true },
        ],
      },
    ],
  };
  const { ctl, body } = await makeSandbox(app, { name: 'threads', users: ['bob', 'carol', 'dave'], tracker });
  const key = { authorization: String(body.credentials.api_key) };
  const query = `{ issue(id: "ENG-1") { subscribers { nodes { displayName } } reactionData
    comments { nodes { body resolvedAt resolvingUser { displayName } parent { body } reactions { emoji } } } }
    archived: issue(id: "ENG-2") { archivedAt } }`;
  const { data, errors } = (await send(app, 'POST', '/graphql', key, { query })).body;
  expect(errors).toBeUndefined();
  const { issue } = data;
  expect(issue.subscribers.nodes.map(({ displayName }: { displayName: string }) => displayName).sort()).toEqual([
    'bob',
    'carol',
    'dave',
  ]);
  expect(issue.reactionData.map((one: { emoji: string; reactions: [] }) => [one.emoji, one.reactions.length])).toEqual([
    ['tada', 2],
    ['+1', 1],
  ]);
  expect(issue.comments.nodes).toMatchObject([
    { body: 'So.', parent: { body: 'Why?' }, resolvedAt: null, reactions: [{ emoji: 'heart' }] },
    { body: 'Why?', resolvingUser: { displayName: 'carol' }, reactions: [{ emoji: 'eyes' }] },
  ]);
  expect(data.archived.archivedAt).toEqual(expect.any(String));
  const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
  expect(exported.tracker.teams[0].issues).toMatchObject(tracker.teams[0]!.issues);
  const again = await makeSandbox(app, exported);
  expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);
});
