import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Issue } from '../../src/tracker/issues/issue.entity.js';
import { Project } from '../../src/tracker/projects/project.entity.js';
import { useApp } from '../support/app.js';
import { lockRow, overlap } from '../support/overlap.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const CREATE = `mutation($input: CommentCreateInput!) {
  commentCreate(input: $input) { lastSyncId comment { id body parent { id } user { id } } } }`;

describe('concurrent commentCreate', () => {
  const app = useApp();
  const create = (on: TrackerCaller, input: object) => on.graphql(CREATE, { input });

  it('creates fifty comments beside refused ones, each with its own sync id, cause and event', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [bob, eve] = [await org.member(), await org.member()];
    const [issue, other, project] = [await make.issue(), await make.issue(), await make.project()];
    const hidden = await make.issue({ team: await org.newTeam({ private: true }) });
    const top = await make.comment(issue);
    const reply = await make.comment(issue, { parentId: top.id });
    const twice = randomUUID();
    const inputs: [Record<string, unknown>, string?][] = [
      [{ issueId: issue.id }],
      [{ issueId: issue.identifier, doNotSubscribeToIssue: true }],
      [{ issueId: randomUUID() }, 'Entity not found in validateAccess: issueId'],
      [{ projectId: project.id }],
      [{ issueId: hidden.id }, 'Entity not found in validateAccess: issueId'],
      [{ issueId: issue.id, parentId: top.id }],
      [{ issueId: issue.id, parentId: reply.id }, 'parentId is a reply'],
      [{ issueId: other.id, parentId: top.id }, 'parentId of another issue or project'],
      [{ issueId: issue.id, id: top.id }, 'conflict on insert of Comment'],
      [{ issueId: other.id }],
    ];
    const calls = Array.from({ length: 48 }, (_, i) => {
      const [input, refusal] = inputs[i % inputs.length] as (typeof inputs)[number];
      return { by: i % 2 ? bob : eve, input: { ...input, body: `Comment ${i}` }, refusal };
    });
    const answers = await Promise.all([
      ...calls.map(({ by, input }) => create(by, input)),
      create(bob, { issueId: issue.id, body: 'once', id: twice }),
      create(eve, { issueId: issue.id, body: 'once', id: twice }),
    ]);
    const [one, another] = answers.splice(-2).map(({ body }) => body.errors?.[0]?.message);
    expect([one, another].filter(Boolean)).toEqual(['conflict on insert of Comment']);

    const answered = [];
    for (const [i, { by, input, refusal }] of calls.entries()) {
      const { body, headers } = answers[i] as (typeof answers)[number];
      expect(body.errors?.[0]?.message, JSON.stringify(input)).toBe(refusal);
      if (refusal !== undefined) continue;
      const { lastSyncId, comment } = body.data.commentCreate;
      const parent = 'parentId' in input ? { id: top.id } : null;
      expect(comment).toMatchObject({ body: input.body, parent, user: { id: by.user.id } });
      answered.push({ lastSyncId, cause: headers.get('x-request-id'), body: input.body });
    }
    const rows: { lastSyncId: number; cause: string; data: string }[] = await app.store.dataSource.query(
      `SELECT sync_id AS "lastSyncId", cause, data FROM events WHERE tenant_id = $1 AND kind = 'comment.created' ORDER BY id`,
      [(await make.viewer()).tenantId],
    );
    const numbers = rows.map(({ lastSyncId }) => Number(lastSyncId));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    const recorded = rows.map(({ lastSyncId, cause, data }) => ({
      lastSyncId: Number(lastSyncId),
      cause,
      body: JSON.parse(data).data.body,
    }));
    answered.sort((a, b) => a.lastSyncId - b.lastSyncId);
    expect(recorded.filter(({ body }) => body !== 'once')).toEqual(answered);
    expect(recorded).toHaveLength(answered.length + 1);
    const subscribers = (await (await org.client().issue(other.id)).subscribers()).nodes.map(({ id }) => id);
    expect(subscribers.sort()).toEqual([org.user.id, bob.user.id].sort());
  });

  it('does not wait for rows that another organization has locked', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const [held, free] = [await app.organization(), await app.organization()];
    const [theirs, issue] = [await builds(held).issue(), await builds(free).issue()];
    const [waited] = await overlap(
      app.store.dataSource,
      async (entities) => {
        await lockRow(entities, Issue, { id: theirs.id });
      },
      async () => {
        const waiting = create(held, { issueId: theirs.id, body: 'waits' });
        const { body } = await create(free, { issueId: issue.id, body: 'goes ahead' });
        expect(body.data.commentCreate.lastSyncId).toBe(2);
        return waiting;
      },
    );
    expect(waited.body.data.commentCreate.comment.body).toBe('waits');
  });

  it('uses the issue and project as they were changed or deleted while it waited for them', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const org = await app.organization();
    const make = builds(org);
    const [issue, project, gone] = [await make.issue(), await make.project(), await make.issue()];
    const during = async (change: Parameters<typeof overlap>[1], input: object) => {
      const act = () => create(org, { body: 'late', ...input });
      return (await overlap(app.store.dataSource, change, act))[0].body;
    };
    await during(
      async (entities) => {
        await lockRow(entities, Issue, { id: issue.id });
        await entities.update(Issue, { id: issue.id }, { title: 'Renamed' });
      },
      { issueId: issue.id },
    );
    await during(
      async (entities) => {
        await lockRow(entities, Project, { id: project.id });
        await entities.update(Project, { id: project.id }, { name: 'Renamed too' });
      },
      { projectId: project.id },
    );
    const refused = await during((entities) => entities.delete(Issue, { id: gone.id }), { issueId: gone.id });
    expect(refused.errors?.[0]?.message).toBe('Entity not found in validateAccess: issueId');
    const [onIssue, onProject, ...more] = await org.recorded('comment.created');
    expect(onIssue?.data).toMatchObject({
      url: expect.stringContaining('/renamed#'),
      data: { issue: { title: 'Renamed' } },
    });
    expect(onProject?.data['url']).toContain('/renamed-too-');
    expect(more).toEqual([]);
  });
});
