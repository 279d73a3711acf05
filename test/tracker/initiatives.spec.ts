import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const { Active, Completed } = LinearDocument.InitiativeStatus;
const { AtRisk } = LinearDocument.InitiativeUpdateHealthType;

describe('initiatives', () => {
  const app = useApp();

  it('are made, found by slug, filtered, sorted, changed with a history, trashed and taken out again', async () => {
    const org = await app.organization();
    const client = org.client();
    const create = async (name: string, input: object = {}) => {
      app.clock.advance(1000);
      return (await (
        await client.createInitiative({ name, ...input })
      ).initiative)!;
    };
    const grow = await create('Grow', { ownerId: org.user.id, priority: 2, targetDate: '2030-06-30' });
    expect(grow).toMatchObject({ status: 'Planned', priority: 2, targetDate: '2030-06-30', visibility: 'public' });
    expect([grow.startedAt, grow.health, grow.labelIds]).toEqual([undefined, undefined, []]);
    expect(grow.url).toMatch(new RegExp(`/initiative/grow-${grow.slugId}$`));
    expect((await client.initiative(grow.slugId)).id).toBe(grow.id);
    expect((await grow.owner)?.id).toBe(org.user.id);
    const zeal = await create('zeal', { status: Active });
    expect(zeal.startedAt).toEqual(zeal.createdAt);
    expect(zeal.sortOrder).toBeLessThan(grow.sortOrder);

    const names = async (variables: object) => (await client.initiatives(variables)).nodes.map(({ name }) => name);
    expect(await names({})).toEqual(['zeal', 'Grow']);
    const up = { order: LinearDocument.PaginationSortOrder.Ascending };
    expect(await names({ sort: [{ name: up }] })).toEqual(['Grow', 'zeal']);
    expect(await names({ sort: [{ manual: up }] })).toEqual(['zeal', 'Grow']);
    expect(await names({ sort: [{ targetDate: up }] })).toEqual(['Grow', 'zeal']);
    expect(await names({ filter: { status: { eq: 'Active' } } })).toEqual(['zeal']);
    expect(await names({ filter: { slugId: { eq: grow.slugId } } })).toEqual(['Grow']);
    expect(await names({ filter: { id: { eq: grow.slugId } } })).toEqual(['Grow']);
    expect(await names({ filter: { owner: { id: { eq: org.user.id } } } })).toEqual(['Grow']);
    expect(await names({ filter: { startedAt: { null: false }, priority: { null: true } } })).toEqual([]);

    await client.updateInitiative(zeal.id, { status: Completed, name: 'Zeal' });
    const done = await client.initiative(zeal.id);
    expect([done.startedAt, done.completedAt]).toEqual([undefined, done.updatedAt]);
    expect((await done.history()).nodes.map(({ entries }) => entries)).toEqual([
      [
        { type: 'name', from: 'zeal', to: 'Zeal' },
        { type: 'status', from: 'Active', to: 'Completed' },
      ],
    ]);
    expect((await refusal(client.createInitiative({ name: '' })))[1]).toContain('name should not be empty');
    expect((await refusal(client.createInitiative({ name: 'x', id: zeal.id })))[1]).toContain('Conflict on insert');

    await client.deleteInitiative(zeal.id);
    expect(await names({})).toEqual(['Grow']);
    expect((await client.initiative(zeal.id)).trashed).toBe(true);
    await client.unarchiveInitiative(zeal.id);
    expect((await client.initiative(zeal.id)).trashed).toBeUndefined();
    await client.archiveInitiative(grow.id);
    expect(await names({})).toEqual(['Zeal']);
    expect(await names({ includeArchived: true })).toEqual(['Zeal', 'Grow']);
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('initiative'));
    expect(kinds).toEqual([
      'initiative.created',
      'initiative.created',
      'initiative.updated',
      'initiative.removed',
      'initiative.updated',
      'initiative.updated',
    ]);
    const [, created, updated] = await org
      .recorded('initiative.created')
      .then(async (all) => [...all, ...(await org.recorded('initiative.updated'))]);
    expect(created!.data).toMatchObject({
      type: 'Initiative',
      url: expect.stringMatching(/\/initiative\/zeal-/),
      data: { name: 'zeal', description: '', labelIds: [], creator: { id: org.user.id }, organizationId: org.id },
    });
    expect(updated!.data).toMatchObject({ updatedFrom: { name: 'zeal', status: 'Active' } });
    expect(await refusal((await app.organization()).client().initiative(grow.id))).toEqual(notFound('Initiative'));
  });

  it('have projects once each, and those of initiatives below them', async () => {
    const org = await app.organization();
    const make = builds(org);
    const client = org.client();
    const bob = await org.member();
    const [one, two] = [await make.project({ name: 'One' }), await make.project({ name: 'Two' })];
    const secret = await make.project({ name: 'Secret', teams: [await org.newTeam({ private: true })] });
    const create = async (name: string) => (await client.createInitiative({ name })).initiativeId!;
    const [top, below] = [await create('Top'), await create('Below')];
    const add = async (initiativeId: string, projectId: string) =>
      (await (
        await client.createInitiativeToProject({ initiativeId, projectId, sortOrder: 5 })
      ).initiativeToProject)!;
    const link = await add(top, one.id);
    expect(link.sortOrder).toBe('5');
    await add(below, two.id);
    const hidden = await add(below, secret.id);
    await client.createInitiativeRelation({ initiativeId: top, relatedInitiativeId: below });
    expect((await refusal(add(top, one.id)))[1]).toContain('The project "One" is already in use');

    const projects = async (includeSubInitiatives?: boolean, of = client) =>
      (await (await of.initiative(top)).projects({ includeSubInitiatives })).nodes.map(({ name }) => name).toSorted();
    expect(await projects()).toEqual(['One', 'Secret', 'Two']);
    expect(await projects(false)).toEqual(['One']);
    expect(await projects(true, bob.client())).toEqual(['One', 'Two']);
    expect((await bob.client().initiativeToProjects()).nodes).toHaveLength(2);
    expect(await refusal(bob.client().initiativeToProject(hidden.id))).toEqual(notFound('InitiativeToProject'));
    const project = await client.project(one.id);
    expect((await project.initiatives()).nodes.map(({ name }) => name)).toEqual(['Top']);
    expect((await project.initiativeToProjects()).nodes.map(({ id }) => id)).toEqual([link.id]);

    const found = async (filter: object) => (await client.initiatives({ filter })).nodes.map(({ name }) => name);
    // those of initiatives below count as in `projects`, each once, and only what the caller sees
    expect((await found({ projects: { some: { name: { eq: 'Two' } } } })).toSorted()).toEqual(['Below', 'Top']);
    expect(await found({ projects: { some: { name: { eq: 'One' } } } })).toEqual(['Top']);
    expect(await found({ projects: { length: { eq: 3 } } })).toEqual(['Top']);
    const bobs = await bob.client().initiatives({ filter: { projects: { some: { name: { eq: 'Secret' } } } } });
    expect(bobs.nodes).toEqual([]);
    expect(await found({ ancestors: { some: { name: { eq: 'Top' } } } })).toEqual(['Below']);
    expect(await found({ ancestors: { length: { eq: 0 } } })).toEqual(['Top']);
    const filter = { initiatives: { some: { name: { eq: 'Top' } } } };
    expect((await client.projects({ filter })).nodes.map(({ name }) => name)).toEqual(['One']);

    await client.updateInitiativeToProject(link.id, { sortOrder: 7.5 });
    expect((await client.initiativeToProject(link.id)).sortOrder).toBe('7.5');
    await client.deleteInitiativeToProject(link.id);
    expect(await projects()).toEqual(['Secret', 'Two']);
  });

  it('have one parent, at most five levels and no circles', async () => {
    const org = await app.organization();
    const client = org.client();
    const ids: string[] = [];
    for (const name of ['1', '2', '3', '4', '5', '6'])
      ids.push((await client.createInitiative({ name })).initiativeId!);
    const relate = (above: number, below: number) =>
      client.createInitiativeRelation({ initiativeId: ids[above]!, relatedInitiativeId: ids[below]! });
    const refused = async (above: number, below: number) => (await refusal(relate(above, below)))[1];
    // from the lowest up, so that what is below counts as well
    for (const above of [3, 2, 1, 0]) await relate(above, above + 1);
    expect(await refused(4, 5)).toContain('at most 5 levels');
    expect(await refused(5, 0)).toContain('at most 5 levels');
    expect(await refused(4, 0)).toContain('cannot be below itself');
    expect(await refused(5, 5)).toContain('cannot be below itself');
    expect(await refused(5, 2)).toContain('has a parent already');
    const [relation] = (await client.initiativeRelations()).nodes;
    expect((await relation!.user)?.id).toBe(org.user.id);
    expect((await (await client.initiative(ids[1]!)).parentInitiative)?.id).toBe(ids[0]);
    expect((await (await client.initiative(ids[0]!)).subInitiatives()).nodes.map(({ name }) => name)).toEqual(['2']);
    await client.updateInitiativeRelation(relation!.id, { sortOrder: 3 });
    expect((await client.initiativeRelation(relation!.id)).sortOrder).toBe(3);
    await client.deleteInitiativeRelation(relation!.id);
    expect((await client.initiative(ids[1]!)).parentInitiativeId).toBeUndefined();

    const racing = await Promise.allSettled([
      client.createInitiativeRelation({ initiativeId: ids[0]!, relatedInitiativeId: ids[5]! }),
      client.createInitiativeRelation({ initiativeId: ids[5]!, relatedInitiativeId: ids[0]! }),
    ]);
    expect(racing.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('have updates that say their health, with comments, reactions and links', async () => {
    const org = await app.organization();
    const client = org.client();
    const initiativeId = (await client.createInitiative({ name: 'Grow' })).initiativeId!;
    const create = async (input: object) => {
      app.clock.advance(1000);
      return (await (
        await client.createInitiativeUpdate({ initiativeId, ...input })
      ).initiativeUpdate)!;
    };
    expect((await refusal(create({})))[1]).toContain('body or health must be defined');
    await create({ body: 'Begun' });
    const second = await create({ health: AtRisk });
    const last = await create({ body: 'Still' });
    expect(last.health).toBe('atRisk');
    const grow = await client.initiative(initiativeId);
    expect([grow.health, grow.healthUpdatedAt]).toEqual(['atRisk', last.createdAt]);
    expect(second.url).toContain(`/updates#initiative-update-${second.slugId}`);
    expect((await grow.initiativeUpdates()).nodes).toHaveLength(3);
    const found = async (filter: object) => (await client.initiatives({ filter })).nodes.length;
    expect(await found({ health: { eq: 'atRisk' } })).toBe(1);
    expect(await found({ initiativeUpdates: { length: { eq: 3 } } })).toBe(1);
    const bob = await org.member();
    expect((await refusal(bob.client().updateInitiativeUpdate(second.id, { body: 'Mine' })))[1]).toContain('your own');
    await client.updateInitiativeUpdate(second.id, { body: 'Hm' });
    expect((await client.initiativeUpdate(second.id)).editedAt).toBeInstanceOf(Date);

    await client.createReaction({ initiativeUpdateId: second.id, emoji: 'tada' });
    const { commentId } = await client.createComment({ initiativeUpdateId: second.id, body: 'Good' });
    await client.createComment({ initiativeUpdateId: second.id, parentId: commentId!, body: 'Yes' });
    const onGoal = (await (await client.createComment({ initiativeId, body: 'Why?' })).comment)!;
    expect(onGoal.url).toMatch(/\/initiative\/grow-[0-9a-f]{12}#comment-/);
    const reply = { initiativeId, parentId: commentId!, body: 'Elsewhere' };
    expect((await refusal(client.createComment(reply)))[1]).toContain('A reply must be on');
    const { initiativeUpdate } = await org.data(
      `query ($id: String!) { initiativeUpdate(id: $id) { commentCount reactions { emoji initiativeUpdate { id } }
        comments { nodes { body url initiativeUpdate { id } } } } }`,
      { id: second.id },
    );
    expect(initiativeUpdate).toMatchObject({
      commentCount: 2,
      reactions: [{ emoji: 'tada', initiativeUpdate: { id: second.id } }],
    });
    expect(initiativeUpdate.comments.nodes).toContainEqual({
      body: 'Good',
      url: expect.stringMatching(/#initiative-update-[0-9a-f]{12}#comment-/),
      initiativeUpdate: { id: second.id },
    });
    const filter = { reactions: { some: { emoji: { eq: 'tada' } } } };
    expect((await client.initiativeUpdates({ filter })).nodes.map(({ id }) => id)).toEqual([second.id]);
    const filtered = { initiativeUpdate: { id: { eq: second.id } } };
    expect((await client.comments({ filter: filtered })).nodes).toHaveLength(2);
    const [told] = await org.recorded('initiativeUpdate.created');
    expect(told!.data).toMatchObject({
      type: 'InitiativeUpdate',
      data: { body: 'Begun', bodyData: '{}', initiative: { id: initiativeId, name: 'Grow' }, reactionData: [] },
    });

    const link = { initiativeId, label: 'Board', url: 'https://board.example/' };
    await client.createEntityExternalLink(link);
    expect((await (await client.initiative(initiativeId)).links()).nodes).toMatchObject([{ label: 'Board' }]);
    await client.archiveInitiativeUpdate(second.id);
    expect((await client.initiativeUpdates()).nodes).toHaveLength(2);
    await client.unarchiveInitiativeUpdate(second.id);
    expect((await client.initiativeUpdates()).nodes).toHaveLength(3);
  });

  it('are seeded with what belongs to them, exported, and completed by a document that names them again', async () => {
    const big = { name: 'Big' };
    const grow = {
      name: 'Grow',
      status: 'Active',
      owner: 'bob',
      parent: 'Big',
      projects: ['Q1'],
      updates: [{ as: 'bob', body: 'Fine', health: 'atRisk', at: '2026-01-02T00:00:00.000Z' }],
      links: [{ label: 'Board', url: 'https://board.example/' }],
    };
    const projects = [
      { name: 'Q1', teams: ['ENG'] },
      { name: 'Q2', teams: ['ENG'] },
    ];
    const tracker = { projects, initiatives: [grow, big] };
    const { ctl, body } = await makeSandbox(app, { name: 'initiatives', users: ['bob'], tracker });
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.initiatives).toMatchObject([grow, big]);
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);

    const key = { authorization: String(body.credentials.api_key) };
    const started = await send(app, 'POST', '/graphql', key, {
      query: '{ initiatives { nodes { status startedAt } } }',
    });
    expect(started.body.data.initiatives.nodes).toEqual(
      expect.arrayContaining([
        { status: 'Active', startedAt: expect.any(String) },
        { status: 'Planned', startedAt: null },
      ]),
    );
    const more = { tracker: { initiatives: [{ name: 'Grow', status: 'Completed', projects: ['Q2'] }] } };
    expect((await send(app, 'POST', '/api/sandboxes/self/seed', ctl, more)).status).toBe(200);
    const query =
      '{ initiatives { nodes { name status owner { name } parentInitiative { name } projects { nodes { name } } } } }';
    const { initiatives } = (await send(app, 'POST', '/graphql', key, { query })).body.data;
    expect(initiatives.nodes).toHaveLength(2);
    expect(initiatives.nodes.find(({ name }: { name: string }) => name === 'Grow')).toMatchObject({
      status: 'Completed',
      owner: { name: 'bob' },
      parentInitiative: { name: 'Big' },
      projects: { nodes: expect.arrayContaining([{ name: 'Q1' }, { name: 'Q2' }]) },
    });
    const unknown = { tracker: { initiatives: [{ name: 'New', projects: ['Q9'], owner: 'nobody' }] } };
    const refused = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, unknown);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.arrayContaining(['tracker.initiatives[0].owner: nothing has the name "nobody"']),
    ]);
  });
});
