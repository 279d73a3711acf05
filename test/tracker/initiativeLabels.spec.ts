import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { brokenRule, notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

// docs/reference/tracker.md#initiativelabel
describe('labels of initiatives', () => {
  const app = useApp();

  it('are made, grouped, changed and deleted, with names of their own', async () => {
    const org = await app.organization();
    const client = org.client();
    const group = (await (await client.createInitiativeLabel({ name: 'Kind', isGroup: true })).initiativeLabel)!;
    const input = { name: 'Bet', color: '#112233', description: 'risky', parentId: group.id };
    const bet = (await (await client.createInitiativeLabel(input)).initiativeLabel)!;
    expect(bet).toMatchObject({ name: 'Bet', color: '#112233', description: 'risky', isGroup: false });
    expect([(await bet.parent)?.id, (await bet.creator)?.id, (await bet.organization).id]).toEqual([
      group.id,
      org.user.id,
      org.id,
    ]);
    expect([group.groupType, (await group.children()).nodes.map(({ id }) => id)]).toEqual(['singleSelect', [bet.id]]);
    const taken = await refusal(client.createInitiativeLabel({ name: 'bet' }));
    expect(taken[1]).toContain('uplicate label name');
    await client.createProjectLabel({ name: 'Bet' });
    await client.updateInitiativeLabel(bet.id, { name: 'Gamble', parentId: null });
    expect((await client.initiativeLabel(bet.id)).name).toBe('Gamble');
    const names = async (filter: object) => (await client.initiativeLabels({ filter })).nodes.map(({ name }) => name);
    expect(await names({ isGroup: { eq: true } })).toEqual(['Kind']);
    expect(await names({ creator: { id: { eq: org.user.id } } })).toEqual(['Gamble', 'Kind']);
    await client.deleteInitiativeLabel(bet.id);
    expect(await refusal(client.initiativeLabel(bet.id))).toEqual(notFound('InitiativeLabel'));
    const recorded = await org.recorded('initiativeLabel.removed');
    expect(recorded[0]!.data).toMatchObject({ type: 'InitiativeLabel', data: { id: bet.id, name: 'Gamble' } });
    expect(Object.keys((recorded[0]!.data as { data: object }).data)).not.toContain('teamId');
    expect(isFiring('InitiativeLabel')).toBe(true);
  });

  it('are put on initiatives, listed, filtered by and taken off', async () => {
    const org = await app.organization();
    const client = org.client();
    const label = async (name: string, more: object = {}) =>
      (await client.createInitiativeLabel({ name, ...more })).initiativeLabelId!;
    const [big, safe] = [await label('Big'), await label('Safe')];
    const id = (await client.createInitiative({ name: 'Grow', labelIds: [big] })).initiativeId!;
    await client.initiativeAddLabel(id, safe);
    await client.initiativeAddLabel(id, safe);
    const initiative = await client.initiative(id);
    expect(initiative.labelIds).toEqual([big, safe]);
    expect((await initiative.labels()).nodes.map(({ name }) => name)).toEqual(['Big', 'Safe']);
    expect((await client.initiativeLabel(big)).lastAppliedAt).toEqual(initiative.createdAt);
    const found = async (filter: object) => (await client.initiatives({ filter })).nodes.length;
    expect(await found({ labels: { name: { eq: 'Safe' } } })).toBe(1);
    expect(await found({ labels: { name: { eq: 'Bet' } } })).toBe(0);
    expect(await found({ labels: { some: { isGroup: { eq: false } }, length: { eq: 2 } } })).toBe(1);
    expect((await (await client.initiativeLabel(safe)).initiatives()).nodes.map((one) => one.id)).toEqual([id]);
    await client.initiativeRemoveLabel(id, big);
    expect((await org.recorded('initiative.updated')).at(-1)!.data).toMatchObject({
      data: { labelIds: [safe] },
      updatedFrom: { labelIds: [big, safe] },
    });
    await client.updateInitiative(id, { labelIds: [big] });
    expect((await client.initiative(id)).labelIds).toEqual([big]);
    expect((await (await client.initiative(id)).history()).nodes[0]!.entries).toEqual([
      { type: 'labelIds', from: [safe], to: [big] },
    ]);
    expect(await refusal(client.initiativeAddLabel(id, org.team.id))).toEqual(unknownReference('labelId'));
    expect(await refusal(client.updateInitiative(id, { labelIds: [org.team.id] }))).toEqual(
      unknownReference('labelIds'),
    );
    const kind = await label('Kind', { isGroup: true });
    expect(await refusal(client.initiativeAddLabel(id, kind))).toEqual(
      brokenRule('labelIds is a group label', "The label 'Kind' is a group and cannot be applied to an initiative."),
    );
    const one = await label('One', { parentId: kind });
    const two = await label('Two', { parentId: kind });
    await client.initiativeAddLabel(id, one);
    expect((await refusal(client.initiativeAddLabel(id, two)))[1]).toContain(
      'Only one label in a group can be applied to an initiative.',
    );
    await client.deleteInitiativeLabel(big);
    expect((await client.initiative(id)).labelIds).toEqual([one]);
  });

  it('that are retired stay where they are and cannot be added', async () => {
    const org = await app.organization();
    const client = org.client();
    const label = (await client.createInitiativeLabel({ name: 'Old' })).initiativeLabelId!;
    const [one, two] = [
      (await client.createInitiative({ name: 'One', labelIds: [label] })).initiativeId!,
      (await client.createInitiative({ name: 'Two' })).initiativeId!,
    ];
    await client.initiativeLabelRetire(label);
    expect((await (await client.initiativeLabel(label)).retiredBy)?.id).toBe(org.user.id);
    expect((await client.initiative(one)).labelIds).toEqual([label]);
    expect(await refusal(client.initiativeAddLabel(two, label))).toEqual(
      brokenRule('labelIds is a retired label', "The label 'Old' is retired and cannot be added."),
    );
    await client.initiativeLabelRestore(label);
    await client.initiativeAddLabel(two, label);
    expect((await client.initiative(two)).labelIds).toEqual([label]);
  });

  it('come with seed documents, which export says again', async () => {
    const tracker = {
      initiative_labels: [
        { name: 'Bet', color: '#112233', parent: 'Kind' },
        { name: 'Kind', color: '#112233', is_group: true },
      ],
      initiatives: [{ name: 'Grow', labels: ['Bet'] }],
    };
    const { ctl } = await makeSandbox(app, { tracker });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    expect(body.tracker.initiative_labels).toEqual(tracker.initiative_labels);
    expect(body.tracker.initiatives).toMatchObject(tracker.initiatives);
    const refused = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, {
      tracker: { initiatives: [{ name: 'Grow', labels: ['Bet', 'None'] }] },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('tracker.initiatives[0].labels[1]'),
    ]);
  });
});
