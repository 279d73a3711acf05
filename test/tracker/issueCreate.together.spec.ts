import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { OrganizationBuilder } from '../support/tracker.js';

const CREATE = `mutation ($input: IssueCreateInput!) {
  issueCreate(input: $input) { lastSyncId issue { id identifier title creator { id } } }
}`;

describe('concurrent issueCreate of several organizations', () => {
  const app = useApp();
  const create = (org: OrganizationBuilder, input: object = {}) =>
    org.graphql(CREATE, { input: { teamId: org.team.id, title: org.team.id, ...input } });
  const organizations = (count: number) => Promise.all(Array.from({ length: count }, () => app.organization()));

  it('gives each its own numbers, sync ids and causes', async () => {
    const orgs = await organizations(6);
    const answers = await Promise.all([...orgs, ...orgs].map((org) => create(org)));
    for (const [i, org] of orgs.entries()) {
      const own = [answers[i], answers[i + orgs.length]].map((answer) => ({
        ...answer?.body.data.issueCreate,
        cause: answer?.headers.get('x-request-id'),
      }));
      expect(own.map(({ issue }) => issue.title)).toEqual([org.team.id, org.team.id]);
      expect(own.map(({ issue }) => issue.identifier).sort()).toEqual(['ENG-1', 'ENG-2']);
      const rows = await app.store.dataSource.query(
        `SELECT sync_id AS "lastSyncId", cause FROM events WHERE product = 'tracker' AND cause IS NOT NULL AND data LIKE '%"title":"' || $1 || '"%'
          ORDER BY sync_id`,
        [org.team.id],
      );
      const answered = own.map(({ lastSyncId, cause }) => ({ lastSyncId, cause }));
      expect(rows).toEqual(answered.sort((a, b) => a.lastSyncId - b.lastSyncId));
      expect(new Set(answered.map(({ cause }) => cause)).size).toBe(2);
    }
  });

  it('refuses one without affecting the others', async () => {
    const [one, other, third] = (await organizations(3)) as [
      OrganizationBuilder,
      OrganizationBuilder,
      OrganizationBuilder,
    ];
    const [refused, ...made] = await Promise.all([
      create(one, { teamId: other.team.id }),
      create(other),
      create(third, { stateId: third.team.id }),
      create(third),
    ]);
    expect(refused.body.errors).toHaveLength(1);
    expect(made.map(({ body }) => body.errors?.length ?? 0)).toEqual([0, 1, 0]);
  });

  it('does not wait for rows that another organization has locked', async (context) => {
    context.skip(!app.store.isConcurrent, 'one session');
    const [held, free] = (await organizations(2)) as [OrganizationBuilder, OrganizationBuilder];
    const holder = app.store.dataSource.createQueryRunner();
    await holder.startTransaction();
    try {
      await holder.query('SELECT FROM teams WHERE id = $1 FOR UPDATE', [held.team.id]);
      let isMade = false;
      const waiting = create(held).finally(() => (isMade = true));
      for (let n = 1; n <= 3; n++) {
        const { body } = await create(free);
        expect(body.data.issueCreate.issue.identifier).toBe(`ENG-${n}`);
      }
      expect(isMade).toBe(false);
      await holder.commitTransaction();
      expect((await waiting).body.data.issueCreate.issue.identifier).toBe('ENG-1');
    } finally {
      if (holder.isTransactionActive) await holder.rollbackTransaction();
      await holder.release();
    }
  });
});
