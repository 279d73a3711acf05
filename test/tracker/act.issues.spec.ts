import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const app = useApp();

// docs/reference/acting.md#verbs
describe('issue_create, issue_update and comment of people', () => {
  let act: (verb: string, fields: object) => Promise<Answer>;
  let query: (text: string) => Promise<Answer['body']>;

  beforeAll(async () => {
    const { credentials } = (
      await makeSandbox(app, {
        users: ['alice', 'bob'],
        tracker: {
          teams: [
            {
              key: 'ENG',
              labels: [{ name: 'Bug' }],
              cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
              issues: [{ title: 'Fix login', ref: 'login', state: 'Todo' }],
            },
            { key: 'OPS' },
            { key: 'SEC', private: true, members: ['bob'] },
          ],
          projects: [
            { name: 'Merger', teams: ['SEC'] },
            { name: 'Q1', teams: ['ENG'] },
          ],
          documents: [{ title: 'Plan', team: 'SEC' }],
        },
      })
    ).body;
    const alice = bearer(credentials.users.alice.access_token);
    act = (verb, fields) => send(app, 'POST', `/api/act/${verb}`, alice, fields);
    query = async (text) => {
      const { body } = await send(app, 'POST', '/graphql', { authorization: credentials.api_key }, { query: text });
      expect(body.errors).toBeUndefined();
      return body.data;
    };
  });

  it('makes an issue of names, as that person', async () => {
    const made = await act('issue_create', {
      team: 'ENG',
      title: 'Crash',
      state: 'in progress',
      assignee: 'bob',
      labels: ['Bug'],
      project: 'Q1',
      cycle: 1,
      parent: 'login',
      priority: 2,
      due_date: '2026-02-01',
    });
    expect(made.status).toBe(200);
    const { identifier } = made.body.result;
    const { issue } = await query(
      `{ issue(id: "${identifier}") { title priority dueDate state { name } assignee { displayName } creator { displayName }
         labels { nodes { name } } project { name } cycle { number } parent { title } } }`,
    );
    expect(issue).toEqual({
      title: 'Crash',
      priority: 2,
      dueDate: '2026-02-01',
      state: { name: 'In Progress' },
      assignee: { displayName: 'bob' },
      creator: { displayName: 'alice' },
      labels: { nodes: [{ name: 'Bug' }] },
      project: { name: 'Q1' },
      cycle: { number: 1 },
      parent: { title: 'Fix login' },
    });
  });

  it('changes an issue by its ref, and null takes a value away', async () => {
    await act('issue_update', { issue: 'login', assignee: 'bob', state: 'Done' });
    const both = await query('{ issue(id: "ENG-1") { state { name } assignee { displayName } } }');
    expect(both.issue).toEqual({ state: { name: 'Done' }, assignee: { displayName: 'bob' } });
    expect((await act('issue_update', { issue: 'ENG-1', assignee: null })).status).toBe(200);
    expect((await query('{ issue(id: "ENG-1") { assignee { displayName } } }')).issue).toEqual({ assignee: null });
  });

  it('adds a comment to an issue by its ref', async () => {
    const made = await act('comment', { issue: 'login', body: 'On it' });
    expect(made.body.result).toMatchObject({ identifier: 'ENG-1' });
    const { comment } = await query(`{ comment(id: "${made.body.result.id}") { body user { displayName } } }`);
    expect(comment).toEqual({ body: 'On it', user: { displayName: 'alice' } });
  });

  it.each([
    ['issue_update', { issue: 'logni', state: 'Done' }, 404, 'issue_not_found'],
    ['issue_create', { team: 'NONE', title: 'a' }, 404, 'team_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', state: 'Nowhere' }, 404, 'state_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', assignee: 'nobody' }, 404, 'user_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', labels: ['None'] }, 404, 'label_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', project: 'None' }, 404, 'project_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', cycle: 7 }, 404, 'cycle_not_found'],
    ['issue_create', { team: 'SEC', title: 'a' }, 404, 'team_not_found'],
    ['issue_create', { team: 'ENG', title: 'a', project: 'Merger' }, 404, 'project_not_found'],
    ['comment', { project: 'Merger', body: 'a' }, 404, 'project_not_found'],
    ['comment', { document: 'Plan', body: 'a' }, 404, 'document_not_found'],
    ['issue_create', { team: 'ENG', title: 5 }, 400, ['title must be a text']],
    ['issue_create', { team: 'ENG', title: 'a', description: 5 }, 400, ['description must be a text']],
    ['issue_create', { team: 'ENG', title: 'a', priority: 1.5 }, 400, ['priority must be a whole number']],
    ['issue_create', { team: 'ENG', title: 'a', estimate: 'many' }, 400, ['estimate must be a whole number']],
    ['issue_create', { team: 'ENG', title: 'a', due_date: 'soon' }, 400, ['due_date must be a day such as 2026-01-31']],
    ['issue_update', { issue: 'login', due_date: '2026-02-99' }, 400, ['due_date must be a day such as 2026-01-31']],
    ['issue_create', { team: 'ENG', title: '' }, 400, undefined],
    ['issue_create', { team: 'ENG', title: 'a', priority: 9 }, 400, undefined],
    ['comment', { issue: 'login' }, 400, undefined],
  ])('refuses %s of %j', async (verb, fields, status, message) => {
    const refused = await act(verb, fields);
    expect(refused.status).toBe(status);
    if (message !== undefined) expect(refused.body.message).toEqual(message);
  });

  it('finds nothing of another sandbox', async () => {
    const other = await makeSandbox(app, {
      tracker: { teams: [{ key: 'SEC', issues: [{ title: 'Secret', ref: 'secret' }] }] },
    });
    const { id } = other.body.credentials.refs.secret;
    for (const issue of ['secret', id]) {
      expect((await act('issue_update', { issue, title: 'Mine' })).body.message).toBe('issue_not_found');
    }
    expect((await act('issue_create', { team: 'SEC', title: 'Mine' })).body.message).toBe('team_not_found');
  });
});
