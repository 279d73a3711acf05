import { describe, expect, it } from 'vitest';
import { countFound, search, type SearchTerms } from '../../../src/tracker/query/search.js';
import { TestOrganization, useStore } from './tracker-data.js';

describe('searching issues', () => {
  const store = useStore();
  const now = new Date();

  it('finds texts in any case, titles first, then newest, and counts all matches', async () => {
    const organization = await TestOrganization.create(store);
    const user = await organization.user();
    const [team, other] = [await organization.team({ key: 'ABC' }), await organization.team({ key: 'XYZ' })];
    const [state, elsewhere] = [await organization.state(team), await organization.state(other)];
    const made = {
      title: await organization.issue(team, state, { title: 'A ROCKET' }),
      description: await organization.issue(team, state, { title: 'x', description: 'two Rockets' }),
      title2: await organization.issue(other, elsewhere, { title: 'rocket 100%' }),
      commented: await organization.issue(team, state, { title: 'y' }),
      archived: await organization.issue(team, state, { title: 'rocket', archivedAt: now }),
    };
    await organization.comment({ issueId: made.commented.id, userId: user.id, body: 'rocket!' });
    const foreign = await TestOrganization.create(store);
    const place = await foreign.team();
    await foreign.issue(place, await foreign.state(place), { title: 'rocket' });

    const find = async (terms: SearchTerms, args = {}, viewer = organization.viewer(user)) => {
      const { nodes } = await search(store.db, 'Issue', terms, { viewer, now, args });
      const names = nodes.map(({ id }) => Object.entries(made).find(([, issue]) => issue.id === id)?.[0]);
      expect(await countFound(store.db, 'Issue', terms, { viewer, now, args })).toBe(names.length);
      return names;
    };
    const hits = ['title2', 'title', 'description'];
    expect(await find({ term: 'rOcKeT' })).toEqual(hits);
    expect(await find({ term: 'rocket', includeComments: true })).toEqual([
      'title2',
      'title',
      'commented',
      'description',
    ]);
    expect(await find({ term: 'rocket', teamId: team.id })).toEqual(['title', 'description']);
    expect(await find({ term: 'rocket' }, { includeArchived: true })).toEqual(['archived', ...hits]);
    expect(await find({ term: 'rocket' }, { filter: { title: { startsWith: 'A' } } })).toEqual(['title']);
    expect(await find({ term: '0%' })).toEqual(['title2']);
    expect(await find({ term: 'xyz-' })).toEqual(['title2']);
    expect(await find({ term: 'rocket' }, {}, organization.viewer(user, { hiddenTeamIds: [other.id] }))).toEqual(
      hits.slice(1),
    );

    const viewer = organization.viewer(user);
    const first = await search(store.db, 'Issue', { term: 'rocket' }, { viewer, now, args: { first: 2 } });
    const after = first.pageInfo.endCursor;
    const rest = await search(store.db, 'Issue', { term: 'rocket' }, { viewer, now, args: { after } });
    expect(rest.nodes.map(({ id }) => id)).toEqual([made.description.id]);
    expect(rest.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
  });
});
