import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const app = useApp();

// docs/reference/acting.md#verbs
describe('what people do with comments of the tracker', () => {
  let act: (person: string, verb: string, fields: object) => Promise<Answer>;
  let query: (text: string) => Promise<Answer['body']>;

  beforeAll(async () => {
    const { credentials } = (
      await makeSandbox(app, {
        users: ['alice', 'bob'],
        tracker: {
          teams: [{ key: 'ENG', issues: [{ title: 'Fix login', ref: 'login' }] }],
          projects: [
            {
              name: 'Q1',
              teams: ['ENG'],
              documents: [{ title: 'Plan', content: 'First this.' }],
              updates: [{ as: 'bob', body: 'Under way' }],
            },
          ],
        },
      })
    ).body;
    act = (person, verb, fields) =>
      send(app, 'POST', `/api/act/${verb}`, bearer(credentials.users[person].access_token), fields);
    query = async (text) => {
      const { body } = await send(app, 'POST', '/graphql', { authorization: credentials.api_key }, { query: text });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
  });

  it('is to comment on projects, documents and updates by their names, and to reply', async () => {
    const { projectUpdates } = await query('{ projectUpdates { nodes { id } } }');
    const update = projectUpdates.nodes[0].id;
    for (const place of [{ project: 'Q1' }, { document: 'Plan' }, { update }]) {
      const first = await act('alice', 'comment', { ...place, body: 'First' });
      expect(first.status).toBe(200);
      const reply = await act('bob', 'comment', { ...place, body: 'Second', parent: first.body.result.id });
      const { comment } = await query(
        `{ comment(id: "${reply.body.result.id}") { parent { body user { displayName } } project { name } documentContentId projectUpdateId } }`,
      );
      expect(comment.parent).toEqual({ body: 'First', user: { displayName: 'alice' } });
      expect([comment.project?.name, comment.documentContentId, comment.projectUpdateId].filter(Boolean)).toHaveLength(
        1,
      );
    }
  });

  it('edits, resolves, reopens and deletes a comment', async () => {
    const comment = (await act('alice', 'comment', { issue: 'login', body: 'Hm' })).body.result.id;
    const shown = async () =>
      (await query(`{ comment(id: "${comment}") { body editedAt resolvedAt resolvingUser { displayName } } }`)).comment;
    expect((await act('alice', 'comment_edit', { comment, body: 'Yes' })).body.result).toEqual({ id: comment });
    expect(await shown()).toMatchObject({ body: 'Yes', editedAt: expect.any(String), resolvedAt: null });
    await act('bob', 'resolve', { comment });
    expect(await shown()).toMatchObject({ resolvedAt: expect.any(String), resolvingUser: { displayName: 'bob' } });
    await act('bob', 'unresolve', { comment });
    expect(await shown()).toMatchObject({ resolvedAt: null, resolvingUser: null });
    const refused = await act('bob', 'comment_edit', { comment, body: 'No' });
    expect([refused.status, refused.body.message]).toEqual([403, 'forbidden']);
    expect((await act('alice', 'comment_delete', { comment })).status).toBe(200);
    for (const verb of ['comment_delete', 'resolve', 'unresolve', 'comment_edit'])
      expect((await act('alice', verb, { comment, body: 'x' })).body.message).toBe('comment_not_found');
  });

  it('reacts to an issue or a comment, once each', async () => {
    const comment = (await act('alice', 'comment', { issue: 'login', body: 'Done' })).body.result.id;
    const first = await act('bob', 'issue_react', { comment, emoji: ':tada:' });
    const again = await act('bob', 'issue_react', { comment, emoji: 'tada' });
    expect(again.body.result).toEqual(first.body.result);
    await act('bob', 'issue_react', { issue: 'ENG-1', emoji: '+1' });
    const found = await query(`{ comment(id: "${comment}") { reactionData } issue(id: "ENG-1") { reactionData } }`);
    expect(found.comment.reactionData).toMatchObject([{ emoji: 'tada', reactions: [{ id: first.body.result.id }] }]);
    expect(found.issue.reactionData).toMatchObject([{ emoji: '+1' }]);
  });

  it.each([
    ['comment', { body: 'x' }, 400, ['one of issue, project, document, update must be given']],
    [
      'comment',
      { issue: 'login', project: 'Q1', body: 'x' },
      400,
      ['one of issue, project, document, update must be given'],
    ],
    ['comment', { project: 'None', body: 'x' }, 404, 'project_not_found'],
    ['comment', { document: 'None', body: 'x' }, 404, 'document_not_found'],
    ['comment', { issue: 'login', body: 'x', parent: crypto.randomUUID() }, 404, 'comment_not_found'],
    ['comment', { issue: 'login', body: 'x', mention: 'nobody' }, 404, 'app_not_found'],
    ['issue_react', { comment: crypto.randomUUID(), emoji: '+1' }, 404, 'comment_not_found'],
    ['issue_react', { issue: 'login', emoji: 'no such emoji' }, 400, ['emoji must be an emoji or the name of one']],
    ['issue_react', { emoji: '+1' }, 400, ['one of issue, comment must be given']],
    ['issue_update', { issue: 'login', delegate: 'nobody' }, 404, 'app_not_found'],
  ])('refuses %s of %j', async (verb, fields, status, message) => {
    const refused = await act('alice', verb, fields);
    expect([refused.status, refused.body.message]).toEqual([status, message]);
  });
});
