import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { useApp, type TestApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';

const { Related } = LinearDocument.IssueRelationType;

/** The tracker's statements that the work sends through the pool. */
async function statementsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const driver = app.nest.get(DataSource).driver as unknown as { master: { query: (...args: unknown[]) => unknown } };
  const pool = driver.master;
  const original = pool.query;
  const names: string[] = [];
  pool.query = function (this: unknown, ...args: unknown[]) {
    const { name } = args[0] as { name?: string };
    if (name?.startsWith('tracker_') && name !== 'tracker_touch') names.push(name);
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    pool.query = original;
  }
  return names;
}

describe('issues', () => {
  const app = useApp();

  it('answers a page of 250 issues with all references in a few statements', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const [labels, project] = [[await make.label(), await make.label()], await make.project()];
    const ops = await org.newTeam({ key: 'OPS' });
    const states = [await make.state('Todo'), await make.state('In Progress')];
    await Promise.all(
      Array.from({ length: 250 }, (_, i) =>
        i % 2
          ? make.issue({ team: ops, assigneeId: org.user.id, labelIds: [labels[1]!.id] })
          : make.issue({
              stateId: states[(i / 2) % 2]!.id,
              assigneeId: bob.user.id,
              labelIds: labels.map(({ id }) => id),
              projectId: project.id,
            }),
      ),
    );
    const query = `{ issues(first: 250) { nodes { id identifier url branchName priorityLabel
      state { id name } assignee { id displayName } team { id key } labels { nodes { id name } } project { id url }
      creator { id } } pageInfo { hasNextPage } } }`;
    let nodes: { state: object; labels: { nodes: object[] } }[] = [];
    const names = await statementsOf(app, async () => {
      nodes = (await org.data(query)).issues.nodes;
    });
    expect(nodes).toHaveLength(250);
    expect(nodes.every(({ state, labels: own }) => state && own.nodes.length > 0)).toBe(true);
    // the caller, the page, the references
    expect(names.length, names.join()).toBeLessThanOrEqual(4);
  });

  it('answers connections below a page in one statement each', async () => {
    const org = await app.organization();
    const make = builds(org);
    const parent = await make.issue();
    const children = await Promise.all([1, 2, 3, 4, 5].map(() => make.issue({ parentId: parent.id })));
    for (const child of children) await make.comment(child);
    const query = `{ issues(first: 20) { nodes { id children(first: 5) { nodes { id parent { id } } }
      comments(first: 5) { nodes { id url user { id } } } subscribers(first: 5) { nodes { id } } } } }`;
    const names = await statementsOf(app, async () => {
      const { issues } = await org.data(query);
      const found = issues.nodes.find(({ id }: { id: string }) => id === parent.id);
      expect(found.children.nodes).toHaveLength(5);
    });
    expect(names.length, names.join()).toBeLessThanOrEqual(8);
  });

  it('answers what hangs on the issues of a page in one statement each, however many there are', async () => {
    const org = await app.organization();
    const make = builds(org);
    const client = org.client();
    const label = await make.label();
    const add = async (): Promise<void> => {
      const [one, two] = [await make.issue({ labelIds: [label.id] }), await make.issue({ labelIds: [label.id] })];
      await client.createIssueRelation({ issueId: one.id, relatedIssueId: two.id, type: Related });
      await client.attachmentLinkURL(one.id, 'https://desk.example/1');
      await client.createReaction({ issueId: two.id, emoji: '+1' });
      await client.updateIssue(one.id, { priority: 1 });
    };
    const query = `{ issues(first: 40) { nodes { labels { nodes { name } } reactionData reactions { user { id } }
      relations(first: 5) { nodes { type relatedIssue { id } } } inverseRelations(first: 5) { nodes { issue { id } } }
      attachments(first: 5) { nodes { title creator { id } } } history(first: 5) { nodes { toPriority actor { id } } } } } }`;
    await add();
    const few = await statementsOf(app, () => org.data(query));
    for (let i = 0; i < 4; i++) await add();
    const many = await statementsOf(app, () => org.data(query));
    expect(many.length, many.join()).toBe(few.length);
    // the caller, the page, five connections, the rows that they refer to
    expect(many.length, many.join()).toBeLessThanOrEqual(9);
  });

  it('is paged through by the official client, each issue once', async () => {
    const org = await app.organization();
    const make = builds(org);
    const made = await Promise.all(Array.from({ length: 23 }, () => make.issue()));
    const client = org.client();
    const all = await client.paginate((args) => client.issues(args), { first: 5 });
    expect(all.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
    const first = await client.issues({ first: 10 });
    await make.issue();
    await first.fetchNext();
    expect(first.nodes).toHaveLength(20);
    expect(new Set(first.nodes.map(({ id }) => id)).size).toBe(20);
  });
});

describe('issue', () => {
  const app = useApp();

  it('resolves every getter of the official client', async () => {
    const org = await app.organization();
    const make = builds(org);
    const parent = await make.issue();
    const about = await make.comment(parent);
    const { id } = await make.issue({
      parentId: parent.id,
      assigneeId: org.user.id,
      projectId: (await make.project()).id,
      cycleId: (await make.cycle()).id,
      labelIds: [(await make.label()).id],
      sourceCommentId: about.id,
    });
    const issue = await org.client().issue(id);
    const got = await Promise.all([
      issue.state,
      issue.team,
      issue.assignee,
      issue.creator,
      issue.project,
      issue.cycle,
      issue.parent,
      issue.sourceComment,
      issue.labels(),
      issue.subscribers(),
      issue.comments(),
      issue.children(),
    ]);
    expect(got.every((value) => value !== undefined)).toBe(true);
    expect(await issue.delegate).toBeUndefined();
  });

  it('uses gitBranchFormat, and cuts long titles at a word', async () => {
    const org = await app.organization();
    const make = builds(org);
    const { id } = await make.issue({ title: `${'word '.repeat(11)}abcdefghijk end` });
    const branch = async () => (await org.data(`{ issue(id: "${id}") { branchName } }`)).issue.branchName;
    expect(await branch()).toBe(`${org.user.displayName}/eng-1-${'word-'.repeat(11).slice(0, -1)}`);
    await org.data(
      'mutation { organizationUpdate(input: { gitBranchFormat: "x/{issueIdentifier}_{username}/{issueTitle}" }) { success } }',
    );
    expect(await branch()).toBe(`x/eng-1_${org.user.displayName}/${'word-'.repeat(11).slice(0, -1)}`);
  });
});

describe('searchIssues, issueSearch, issueVcsBranchSearch and issuePriorityValues', () => {
  const app = useApp();

  it('find by title, description, identifier and comment, titles first', async () => {
    const org = await app.organization();
    const make = builds(org);
    const inText = await make.issue({ title: 'One', description: 'a 100% Crash' });
    const inTitle = await make.issue({ title: 'Crash 100% of the time' });
    const inComment = await make.issue({ title: 'Two' });
    await make.comment(inComment, { body: 'same crash' });
    const client = org.client();
    const found = await client.searchIssues('CRASH', { first: 1 });
    expect(found).toMatchObject({ totalCount: 2, archivePayload: { archive: '', totalCount: 0, databaseVersion: 1 } });
    expect(found.nodes.map(({ id, metadata }) => [id, metadata])).toEqual([[inTitle.id, {}]]);
    expect(found.pageInfo.hasNextPage).toBe(true);
    const search = async (args: string) =>
      (await org.data(`{ searchIssues(${args}) { totalCount nodes { id state { name } url } } }`)).searchIssues;
    expect((await search('term: "crash", includeComments: true')).totalCount).toBe(3);
    expect((await search('term: "100%"')).nodes.map(({ id }: { id: string }) => id)).toEqual([inTitle.id, inText.id]);
    expect((await search('term: "eng-2"')).nodes).toMatchObject([{ id: inTitle.id }]);
    const ops = await org.newTeam();
    expect((await search(`term: "crash", teamId: "${ops.id}"`)).totalCount).toBe(0);
    expect((await org.error('{ searchIssues(term: "x", teamId: "ENG") { totalCount } }')).message).toBe(
      'Argument Validation Error',
    );
    const foreign = await app.organization();
    expect((await foreign.error(`{ searchIssues(term: "x", teamId: "${ops.id}") { totalCount } }`)).message).toBe(
      'Entity not found in validateAccess: teamId',
    );
    const old = await client.issueSearch({ query: 'crash' });
    expect(old.nodes.map(({ id }) => id)).toEqual([inTitle.id, inText.id]);
    expect((await client.issueSearch({})).nodes).toHaveLength(3);
  });

  it('find the first valid identifier of a branch name, and list the priorities', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue();
    const client = org.client();
    expect((await client.issueVcsBranchSearch('ada/release-2-eng-1-login'))?.id).toBe(issue.id);
    expect(await client.issueVcsBranchSearch('main')).toBeUndefined();
    expect((await client.issuePriorityValues).map(({ label, priority }) => [priority, label])).toEqual([
      [0, 'No priority'],
      [1, 'Urgent'],
      [2, 'High'],
      [3, 'Medium'],
      [4, 'Low'],
    ]);
  });
});
