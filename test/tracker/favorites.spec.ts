import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

// docs/reference/tracker.md#favorite
describe('favorites', () => {
  const app = useApp();

  it('are of one thing each, with its title and url, in their order', async () => {
    const org = await app.organization();
    const client = org.client();
    const make = builds(org);
    const issue = await make.issue({ title: 'Fix login' });
    const project = await make.project({ name: 'Q1' });
    const label = await make.label({ name: 'Bug' });
    const view = (await client.createCustomView({ name: 'Mine', filterData: {} })).customViewId!;
    const document = (await client.createDocument({ teamId: org.team.id, title: 'Plan' })).documentId!;
    const initiative = (await client.createInitiative({ name: 'Grow' })).initiativeId!;
    const customer = (await client.createCustomer({ name: 'Acme' })).customerId!;
    const projectLabel = (await client.createProjectLabel({ name: 'Bet' })).projectLabelId!;
    const pipeline = (await client.createReleasePipeline({ name: 'iOS' })).releasePipelineId!;
    const release = (await client.createRelease({ pipelineId: pipeline, name: 'Spring' })).releaseId!;
    const note = (await client.createReleaseNote({ pipelineId: pipeline, title: 'News', releaseIds: [release] }))
      .releaseNoteId!;
    const given: [object, string, string][] = [
      [{ issueId: issue.identifier }, 'issue', 'Fix login'],
      [{ projectId: project.id }, 'project', 'Q1'],
      [{ labelId: label.id }, 'label', 'Bug'],
      [{ projectLabelId: projectLabel }, 'projectLabel', 'Bet'],
      [{ customViewId: view }, 'customView', 'Mine'],
      [{ documentId: document }, 'document', 'Plan'],
      [{ initiativeId: initiative }, 'initiative', 'Grow'],
      [{ customerId: customer }, 'customer', 'Acme'],
      [{ userId: org.user.id }, 'user', org.user.name],
      [{ releaseId: release }, 'release', 'Spring'],
      [{ releaseNoteId: note }, 'releaseNote', 'News'],
      [{ releasePipelineId: pipeline }, 'releasePipeline', 'iOS'],
      [{ predefinedViewType: 'active', predefinedViewTeamId: org.team.id }, 'predefinedView', 'active'],
      [{ folderName: 'Folder' }, 'folder', 'Folder'],
    ];
    for (const [input, type] of given) {
      const made = (await (await client.createFavorite(input)).favorite)!;
      expect([made.type, (await made.owner)?.id]).toEqual([type, org.user.id]);
      expect(made.url).toEqual(type === 'folder' ? undefined : expect.stringMatching(`^${app.baseUrl}/${org.urlKey}/`));
    }
    const all = (await client.favorites()).nodes;
    const { favorites } = await org.data('{ favorites { nodes { title } } }');
    expect(favorites.nodes.map((one: { title: string }) => one.title)).toEqual(given.map(([, , title]) => title));
    expect(all.map(({ type }) => type)).toEqual(given.map(([, type]) => type));
    const own = (await (await client.issue(issue.id)).favorite)!;
    expect([own.id, (await own.issue)?.id, own.url]).toEqual([
      all[0]!.id,
      issue.id,
      (await client.issue(issue.id)).url,
    ]);
    expect((await (await client.project(project.id)).favorite)?.id).toBe(all[1]!.id);
    await client.updateFavorite(own.id, { sortOrder: 10_000 });
    expect((await client.favorites()).nodes.at(-1)!.id).toBe(own.id);
  });

  it('of the same thing are the first one, moved', async () => {
    const org = await app.organization();
    const client = org.client();
    const issue = await builds(org).issue();
    const folder = (await client.createFavorite({ folderName: 'Folder' })).favoriteId!;
    const first = (await client.createFavorite({ issueId: issue.id })).favoriteId!;
    const again = (await (
      await client.createFavorite({ issueId: issue.id, parentId: folder, sortOrder: 7 })
    ).favorite)!;
    expect([again.id, again.sortOrder, (await again.parent)?.id]).toEqual([first, 7, folder]);
    expect((await (await client.favorite(folder)).children()).nodes.map(({ id }) => id)).toEqual([first]);
    expect((await client.favorites()).nodes).toHaveLength(2);
    await client.deleteFavorite(folder);
    expect((await client.favorites()).nodes).toEqual([]);
    expect((await client.deleteFavorite(folder)).success).toBe(true);
  });

  it('are one of each thing where several are made at once, each call moving it', async () => {
    const org = await app.organization();
    const client = org.client();
    const { id: issueId } = await builds(org).issue();
    const parentId = (await client.createFavorite({ folderName: 'Folder' })).favoriteId!;
    for (const input of [{ issueId }, { userId: org.user.id }, { predefinedViewType: 'active' }]) {
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, n) => client.createFavorite({ ...input, parentId, sortOrder: n })),
      );
      expect(new Set(made.map(({ favoriteId }) => favoriteId)).size).toBe(1);
      const answered = await Promise.all(made.map(async ({ favorite }) => (await favorite)!.sortOrder));
      const kept = await client.favorite(made[0]!.favoriteId!);
      expect([answered.includes(kept.sortOrder), kept.parentId]).toEqual([true, parentId]);
    }
    expect((await client.favorites()).nodes).toHaveLength(4);
    const kinds = (await org.recorded('favorite.created')).length;
    expect(kinds).toBe(4);
  });

  it('are refused without a thing, with two, and in what is no folder', async () => {
    const org = await app.organization();
    const client = org.client();
    const issue = await builds(org).issue();
    const exactly = expect.stringContaining('Exactly one of issueId, projectId');
    expect(await refusal(client.createFavorite({}))).toEqual(['InvalidInputLinearError', exactly]);
    expect(await refusal(client.createFavorite({ issueId: issue.id, folderName: 'x' }))).toEqual([
      'InvalidInputLinearError',
      exactly,
    ]);
    expect(await refusal(client.createFavorite({ projectId: org.team.id }))).toEqual(unknownReference('projectId'));
    const own = (await client.createFavorite({ issueId: issue.id })).favoriteId!;
    const inside = client.createFavorite({ folderName: 'x', parentId: own });
    expect(await refusal(inside)).toEqual(invalidArgument('parentId must be a folder.'));
    expect(await refusal(client.updateFavorite(own, { folderName: 'x' }))).toEqual(
      invalidArgument('folderName is for folders.'),
    );
  });

  it('are their owner’s alone, as are their events', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const issue = await builds(org).issue();
    const id = (await bob.client().createFavorite({ issueId: issue.id })).favoriteId!;
    expect(await refusal(org.client().favorite(id))).toEqual(notFound('Favorite'));
    expect((await org.client().favorites()).nodes).toEqual([]);
    expect(await (await org.client().issue(issue.id)).favorite).toBeUndefined();
    expect(await refusal(org.client().updateFavorite(id, { sortOrder: 1 }))).toEqual(notFound('Favorite'));
    await org.client().deleteFavorite(id);
    expect((await bob.client().favorites()).nodes).toHaveLength(1);
    await bob.client().updateFavorite(id, { sortOrder: 1 });
    await bob.client().deleteFavorite(id);
    const rooms = ['created', 'updated', 'removed'].map(async (kind) =>
      (await org.recorded(`favorite.${kind}`)).map(({ room }) => room),
    );
    expect(await Promise.all(rooms)).toEqual(Array(3).fill([`org:${org.id}/users/${bob.user.id}`]));
  });
});
