import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const { Blocks, Duplicate, Related, Similar } = LinearDocument.IssueRelationType;
const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('issue relations', () => {
  const app = useApp();
  /** Both directions of an issue, by type and the other's title. */
  const relationsOf = async (caller: TrackerCaller, id: string) => {
    const { body } = await caller.graphql(
      `query ($id: String!) { issue(id: $id) { state { name }
        relations { nodes { id type relatedIssue { title } } } inverseRelations { nodes { type issue { title } } } } }`,
      { id },
    );
    expect(body.errors).toBeUndefined();
    return body.data.issue;
  };

  it('are made for a pair once: another creation, in either direction, changes that one', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.issue({ title: 'One' }), await make.issue({ title: 'Two' })];
    const client = org.client();
    const made = await client.createIssueRelation({ issueId: one.identifier, relatedIssueId: two.id, type: Blocks });
    const relation = (await made.issueRelation)!;
    expect(relation.type).toBe('blocks');
    expect((await relation.relatedIssue)?.id).toBe(two.id);
    expect(await relationsOf(org, one.id)).toMatchObject({
      relations: { nodes: [{ type: 'blocks', relatedIssue: { title: 'Two' } }] },
      inverseRelations: { nodes: [] },
    });
    expect((await relationsOf(org, two.id)).inverseRelations.nodes).toEqual([
      { type: 'blocks', issue: { title: 'One' } },
    ]);
    const turned = await client.createIssueRelation({ issueId: two.id, relatedIssueId: one.id, type: Related });
    expect(turned.issueRelationId).toBe(relation.id);
    expect((await relationsOf(org, two.id)).relations.nodes).toEqual([
      { id: relation.id, type: 'related', relatedIssue: { title: 'One' } },
    ]);
    expect((await client.issueRelations()).nodes).toHaveLength(1);
    await client.updateIssueRelation(relation.id, { type: 'similar' });
    expect((await client.issueRelation(relation.id)).type).toBe('similar');
    const gone = await client.deleteIssueRelation(relation.id);
    expect(gone.entityId).toBe(relation.id);
    expect(await refusal(client.issueRelation(relation.id))).toEqual(notFound('IssueRelation'));
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('issueRelation'));
    expect(kinds).toEqual([
      'issueRelation.created',
      'issueRelation.updated',
      'issueRelation.updated',
      'issueRelation.removed',
    ]);
  });

  it('are refused between an issue and itself, to unknown issues, and with unknown types', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two, three] = [await make.issue(), await make.issue(), await make.issue()];
    const client = org.client();
    const create = (issueId: string, relatedIssueId: string) =>
      refusal(client.createIssueRelation({ issueId, relatedIssueId, type: Similar }));
    expect((await create(one.id, one.id))[1]).toContain('an issue cannot be related to itself');
    expect(await create(UNKNOWN, one.id)).toEqual(unknownReference('issueId'));
    expect(await create(one.id, 'NOPE-1')).toEqual(unknownReference('relatedIssueId'));
    const { issueRelationId } = await client.createIssueRelation({
      issueId: one.id,
      relatedIssueId: two.id,
      type: Related,
    });
    await client.createIssueRelation({ issueId: one.id, relatedIssueId: three.id, type: Related });
    expect(await refusal(client.updateIssueRelation(issueRelationId!, { type: 'nonsense' }))).toEqual(
      invalidArgument('type must be one of the following values: blocks, duplicate, related, similar.'),
    );
    expect((await refusal(client.updateIssueRelation(issueRelationId!, { relatedIssueId: three.id })))[1]).toContain(
      'the issues are related already',
    );
    // ids are taken in any case
    const changed = await client.updateIssueRelation(issueRelationId!.toUpperCase(), { type: 'similar' });
    expect((await changed.issueRelation)?.type).toBe('similar');
  });

  it('move a duplicate to the state for duplicates, once, and back to the state it left', async () => {
    const org = await app.organization();
    const make = builds(org);
    const todo = await make.state('Todo');
    const issue = await make.issue({ title: 'Again', stateId: todo.id });
    const [first, second] = [await make.issue({ title: 'First' }), await make.issue({ title: 'Second' })];
    const client = org.client();
    const relate = (relatedIssueId: string, type = Duplicate) =>
      client.createIssueRelation({ issueId: issue.id, relatedIssueId, type });
    await relate(first.id);
    expect((await relationsOf(org, issue.id)).state.name).toBe('Duplicate');
    const { issueRelationId } = await relate(second.id);
    expect(await relationsOf(org, issue.id)).toMatchObject({
      state: { name: 'Duplicate' },
      relations: { nodes: [{ type: 'duplicate', relatedIssue: { title: 'Second' } }] },
    });
    await client.deleteIssueRelation(issueRelationId!);
    expect((await relationsOf(org, issue.id)).state.name).toBe('Todo');
    await relate(first.id);
    await relate(first.id, Related);
    expect((await relationsOf(org, issue.id)).state.name).toBe('Todo');
    const moves = (await org.recorded('issue.updated')).map(({ data }) => data['data'].state.name);
    expect(moves).toEqual(['Duplicate', 'Todo', 'Duplicate', 'Todo']);
  });

  it('make one row of concurrent creations of one pair', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [one, two] = [await make.issue(), await make.issue()];
    const ids = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const [issueId, relatedIssueId] = i % 2 ? [one.id, two.id] : [two.id, one.id];
        return (await org.client().createIssueRelation({ issueId, relatedIssueId, type: Blocks })).issueRelationId;
      }),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('are found by filters of issues, and not seen by whom one of the issues is hidden from', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const hidden = await make.issue({ title: 'Hidden', team: await org.newTeam({ private: true }) });
    const [one, two] = [await make.issue({ title: 'One' }), await make.issue({ title: 'Two' })];
    const client = org.client();
    await client.createIssueRelation({ issueId: one.id, relatedIssueId: two.id, type: Blocks });
    await client.createIssueRelation({ issueId: two.id, relatedIssueId: hidden.id, type: Blocks });
    const found = async (caller: TrackerCaller, filter: object) => {
      const { body } = await caller.graphql(
        'query ($filter: IssueFilter) { issues(filter: $filter) { nodes { title } } }',
        { filter },
      );
      return body.data.issues.nodes.map(({ title }: { title: string }) => title).sort();
    };
    expect(await found(org, { hasBlockingRelations: { eq: true } })).toEqual(['One', 'Two']);
    expect(await found(org, { hasBlockedByRelations: { eq: true } })).toEqual(['Hidden', 'Two']);
    expect(await found(org, { hasBlockingRelations: { eq: false } })).toEqual(['Hidden']);
    expect(await found(org, { hasDuplicateRelations: { eq: true } })).toEqual([]);
    expect(await found(bob, { hasBlockingRelations: { eq: true } })).toEqual(['One']);
    expect((await relationsOf(bob, two.id)).relations.nodes).toEqual([]);
    expect((await relationsOf(org, two.id)).relations.nodes).toHaveLength(1);
    expect((await bob.client().issueRelations()).nodes).toHaveLength(1);
    const told = async (caller: TrackerCaller) =>
      (
        await caller.data(
          'query ($id: String!) { issue(id: $id) { history { nodes { relationChanges { identifier type } } } } }',
          { id: two.id },
        )
      ).issue.history.nodes.map((entry: { relationChanges: unknown }) => entry.relationChanges);
    const known = [{ identifier: one.identifier, type: 'axb' }];
    expect(await told(org)).toEqual([[{ identifier: hidden.identifier, type: 'ab' }], known]);
    expect(await told(bob)).toEqual([null, known]);
  });

  it('are seeded, exported, and listed among the changes of a sandbox', async () => {
    const tracker = {
      teams: [
        {
          key: 'ENG',
          issues: [
            { title: 'One', number: 1, relations: [{ type: 'blocks', issue: 'other' }] },
            { title: 'Two', number: 2, ref: 'other' },
          ],
        },
      ],
    };
    const { ctl, body } = await makeSandbox(app, { name: 'related', tracker });
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.teams[0].issues).toMatchObject(tracker.teams[0]!.issues);
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);

    const key = { authorization: String(body.credentials.api_key) };
    const ask = (query: string) => send(app, 'POST', '/graphql', key, { query });
    const [{ id }] = (await ask('{ issueRelations { nodes { id } } }')).body.data.issueRelations.nodes;
    await ask(`mutation { issueRelationUpdate(id: "${id}", input: { type: "related" }) { success } }`);
    const { changed } = (await send(app, 'GET', '/api/sandboxes/self/changes', ctl)).body;
    expect(changed.issue_relation).toMatchObject([
      { id, after: { issue: 'ENG-1', relatedIssue: 'ENG-2', type: 'related' }, fields: ['type'] },
    ]);
  });
});
