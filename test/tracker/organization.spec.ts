import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { unique } from '../support/unique.js';

describe('organization', () => {
  const app = useApp();

  it('answers derived fields, project statuses, teams, labels and users', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const organization = await org.client().organization;
    expect(organization).toMatchObject({
      id: org.id,
      urlKey: org.urlKey,
      previousUrlKeys: [],
      userCount: 2,
      createdIssueCount: 0,
      fiscalYearStartMonth: 0,
      allowMembersToInvite: true,
    });
    expect(organization.projectStatuses.map(({ name, position }) => [name, position])).toEqual([
      ['Backlog', 0],
      ['Planned', 1],
      ['In Progress', 2],
      ['Paused', 3],
      ['Completed', 4],
      ['Canceled', 5],
    ]);
    expect((await organization.users()).nodes.map(({ id }) => id)).toEqual([bob.user.id, org.owner.id]);
    const data = await org.data('{ organization { labels { nodes { id } } teams { nodes { key } } } }');
    expect(data.organization).toEqual({ labels: { nodes: [] }, teams: { nodes: [{ key: 'ENG' }] } });
  });

  it('answers whether an organization has a url key', async () => {
    const org = await app.organization();
    const exists = (urlKey: string) =>
      org.data('query($urlKey: String!) { organizationExists(urlKey: $urlKey) { exists success } }', { urlKey });
    expect(await exists(org.urlKey)).toEqual({ organizationExists: { exists: true, success: true } });
    expect(await exists(unique('nobody'))).toEqual({ organizationExists: { exists: false, success: true } });
  });
});
