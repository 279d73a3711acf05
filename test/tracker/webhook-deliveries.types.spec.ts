import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LinearClient } from '@linear/sdk';
import { expect, it } from 'vitest';
import { receiver } from '../support/receiver.js';
import { makeSandbox } from '../support/sandbox-routes.js';
import { hookOf, useDeliveringApp, type Hook } from '../support/tracker-hooks.js';
import { builds } from '../support/tracker-issues.js';

const server = useDeliveringApp();

const TYPES = [
  'Attachment',
  'Document',
  'ProjectUpdate',
  'ProjectLabel',
  'InitiativeLabel',
  'Initiative',
  'InitiativeUpdate',
  'Reaction',
  'Customer',
  'CustomerNeed',
  'Release',
  'ReleaseNote',
];

const dist = fileURLToPath(new URL('../../node_modules/@linear/sdk/dist/', import.meta.url));
const declarations = readdirSync(dist)
  .filter((name) => name.endsWith('.d.mts'))
  .map((name) => readFileSync(`${dist}${name}`, 'utf8'))
  .join('\n');

/** The keys that the official client declares for the `data` of a type; undefined: it declares no such payload. */
function declaredKeys(type: string): { all: string[]; required: string[] } | undefined {
  const [, body] = new RegExp(`\\ntype ${type}WebhookPayload = \\{\\n([\\s\\S]*?)\\n\\};`).exec(declarations) ?? [];
  if (body === undefined) return undefined;
  const keys = [...body.matchAll(/^\s+(\w+)(\??): /gm)].filter(([, name]) => name !== '__typename');
  return {
    all: keys.map(([, name]) => name as string),
    required: keys.filter(([, , optional]) => optional === '').map(([, name]) => name as string),
  };
}

const said = ({ heard }: Hook): string[] => heard.map(({ type, action }) => `${type} ${action}`);

// docs/reference/tracker-webhooks.md#what-fires
it('webhooks hear of every type, as the official client accepts and declares it, and of their team alone', async () => {
  const org = await server.app.organization();
  const client = org.client();
  const { team } = org;
  const ops = await org.newTeam({ key: 'OPS' });
  const hooks = {
    all: await hookOf(org, { resourceTypes: TYPES }),
    eng: await hookOf(org, { resourceTypes: TYPES, teamId: team.id }),
    ops: await hookOf(org, { resourceTypes: TYPES, teamId: ops.id }),
  };
  const issue = await builds(org).issue({ title: 'Fix' });
  const project = (await (await client.createProject({ name: 'Q1', teamIds: [team.id] })).project)!;
  const expected: string[] = [];
  const eng: string[] = [];
  /** What is heard of the next changes: by everybody, and by the team as well. */
  const hear = (type: string, actions: string, ofTeam = true): void => {
    for (const action of actions.split(' ')) {
      expected.push(`${type} ${action}`);
      if (ofTeam) eng.push(`${type} ${action}`);
    }
  };

  const url = 'https://a.example/ticket';
  const attachmentId = (await client.createAttachment({ issueId: issue.id, url, title: 'Ticket' })).attachmentId!;
  await client.createAttachment({ issueId: issue.id, url, title: 'The same' });
  await client.updateAttachment(attachmentId, { title: 'Renamed' });
  await client.deleteAttachment(attachmentId);
  hear('Attachment', 'create update update remove');

  const documentId = (await client.createDocument({ title: 'Plan', content: 'Go', projectId: project.id })).documentId!;
  await client.updateDocument(documentId, { title: 'The plan' });
  await client.deleteDocument(documentId);
  await client.unarchiveDocument(documentId);
  hear('Document', 'create update remove update');

  const update = (await client.createProjectUpdate({ projectId: project.id, body: 'Begun' })).projectUpdateId!;
  await client.updateProjectUpdate(update, { health: 'atRisk' as never });
  await client.archiveProjectUpdate(update);
  await client.unarchiveProjectUpdate(update);
  hear('ProjectUpdate', 'create update update update');

  const reaction = (await client.createReaction({ issueId: issue.id, emoji: 'tada' })).reaction.id;
  await client.deleteReaction(reaction);
  hear('Reaction', 'create remove');

  const label = (await client.createProjectLabel({ name: 'Bet' })).projectLabelId!;
  await client.updateProjectLabel(label, { name: 'Big bet' });
  await client.projectLabelRetire(label);
  await client.projectLabelRestore(label);
  await client.deleteProjectLabel(label);
  hear('ProjectLabel', 'create update update update remove', false);

  const area = (await client.createInitiativeLabel({ name: 'Area' })).initiativeLabelId!;
  await client.updateInitiativeLabel(area, { name: 'Wide area' });
  await client.initiativeLabelRetire(area);
  await client.initiativeLabelRestore(area);
  await client.deleteInitiativeLabel(area);
  hear('InitiativeLabel', 'create update update update remove', false);

  const initiative = (await client.createInitiative({ name: 'Grow' })).initiativeId!;
  await client.updateInitiative(initiative, { status: 'Active' as never });
  hear('Initiative', 'create update', false);
  const news = (await client.createInitiativeUpdate({ initiativeId: initiative, body: 'Begun' })).initiativeUpdateId!;
  await client.updateInitiativeUpdate(news, { body: 'Begun well' });
  await client.archiveInitiativeUpdate(news);
  await client.unarchiveInitiativeUpdate(news);
  hear('InitiativeUpdate', 'create update update update', false);
  await client.archiveInitiative(initiative);
  await client.unarchiveInitiative(initiative);
  await client.deleteInitiative(initiative);
  hear('Initiative', 'update update remove', false);

  const acme = (await client.createCustomer({ name: 'Acme' })).customerId!;
  const other = (await client.customerUpsert({ name: 'Other', externalId: 'crm-1' })).customerId!;
  await client.customerUpsert({ name: 'Another', externalId: 'crm-1' });
  await client.updateCustomer(acme, { revenue: 10 });
  hear('Customer', 'create create update update', false);
  const need = (await client.createCustomerNeed({ customerId: acme, issueId: issue.id, body: 'More' })).needId!;
  await client.updateCustomerNeed(need, { priority: 1 });
  await client.archiveCustomerNeed(need);
  hear('CustomerNeed', 'create update update');
  await client.deleteCustomerNeed(need);
  hear('CustomerNeed', 'remove');

  const pipelineId = (await client.createReleasePipeline({ name: 'iOS', teamIds: [team.id] })).releasePipelineId!;
  const release = (await client.createRelease({ pipelineId, name: 'Spring', version: '1' })).releaseId!;
  await client.createIssueToRelease({ issueId: issue.id, releaseId: release });
  await client.updateRelease(release, { name: 'Summer' });
  await client.releaseComplete({ pipelineId, version: '1' });
  hear('Release', 'create update update');
  await client.releaseSync({ pipelineId, version: '2', commitSha: 'a'.repeat(40) });
  await client.releaseSync({ pipelineId, version: '2', commitSha: 'b'.repeat(40) });
  hear('Release', 'create update');
  await client.archiveRelease(release);
  hear('Release', 'update');
  const note = (await client.createReleaseNote({ pipelineId, title: 'News', releaseIds: [release] })).releaseNoteId!;
  await client.updateReleaseNote(note, { title: 'All news' });
  await client.deleteReleaseNote(note);
  hear('ReleaseNote', 'create update remove');
  // the last of each: what merges is one change of two
  await client.customerMerge(other, acme);
  const merged = ['Customer remove', 'Customer update'];

  await hooks.all.until(expected.length + merged.length);
  await hooks.eng.until(eng.length);
  const heard = said(hooks.all);
  expect(heard.slice(0, expected.length)).toEqual(expected);
  expect(heard.slice(expected.length).sort()).toEqual(merged);
  expect(said(hooks.eng)).toEqual(eng);
  expect(new Set([...hooks.all.answers, ...hooks.eng.answers])).toEqual(new Set([200]));

  for (const one of hooks.all.heard) {
    const what = `${one.type} ${one.action}`;
    expect(one.actor, what).toMatchObject({ id: org.owner.id, type: 'user', name: org.owner.name });
    expect(one.organizationId, what).toBe(org.id);
    expect(one.url, what).toMatch(new RegExp(`^${server.app.baseUrl}/${org.urlKey}(/|$)`));
    expect(one.updatedFrom !== undefined, what).toBe(one.action === 'update');
    if (one.updatedFrom) expect(one.updatedFrom, what).toHaveProperty('updatedAt');
    expect(Object.values(one.data), what).not.toContain(null);
    const keys = declaredKeys(one.type);
    expect(keys, `${one.type} is declared`).toBeDefined();
    expect(Object.keys(one.data), what).toEqual(expect.arrayContaining(keys!.required));
    expect(
      Object.keys(one.data).filter((key) => !keys!.all.includes(key)),
      what,
    ).toEqual([]);
  }
  const of = (what: string): any[] => hooks.all.heard.filter(({ type, action }) => `${type} ${action}` === what);
  expect(of('Attachment update').map(({ updatedFrom }) => updatedFrom.title)).toEqual(['Ticket', 'The same']);
  expect(of('Attachment create')[0].url).toContain(`/issue/${issue.identifier}`);
  expect(of('ProjectUpdate update')[0].updatedFrom).toMatchObject({ health: 'onTrack' });
  expect(of('Initiative update')[0].updatedFrom).toMatchObject({ status: 'Planned', startedAt: null });
  expect(of('Reaction create')[0].data).toMatchObject({ emoji: 'tada', issueId: issue.id });
  expect(of('Release update')[0]).toMatchObject({
    updatedFrom: { name: 'Spring' },
    data: {
      name: 'Summer',
      pipeline: { id: pipelineId, name: 'iOS' },
      issues: [{ id: issue.id, identifier: issue.identifier, title: 'Fix', teamId: team.id, team: { key: 'ENG' } }],
    },
  });
  expect(of('Release create')[0].data).not.toHaveProperty('issues');
  expect(of('ReleaseNote update')[0]).toMatchObject({
    updatedFrom: { title: 'News' },
    data: { title: 'All news', releaseIds: [release], pipeline: { id: pipelineId } },
  });
  // deliveries of a webhook are in order, so nothing was on its way before this
  await client.createDocument({ title: 'Last', teamId: ops.id });
  await hooks.ops.until(1);
  expect(said(hooks.ops)).toEqual(['Document create']);
});

// docs/reference/tracker-webhooks.md#what-fires
it('comments and reactions on updates of initiatives tell of them as the official client declares', async () => {
  const org = await server.app.organization();
  const client = org.client();
  const hook = await hookOf(org, { resourceTypes: ['Comment', 'Reaction'] });
  const initiativeId = (await client.createInitiative({ name: 'Grow' })).initiativeId!;
  const initiativeUpdateId = (await client.createInitiativeUpdate({ initiativeId, body: 'Begun' })).initiativeUpdateId!;
  await client.createComment({ initiativeUpdateId, body: 'Good' });
  await client.createReaction({ initiativeUpdateId, emoji: 'tada' });
  await hook.until(2);
  const [comment, reaction] = hook.heard;
  expect(Object.keys(comment.data.initiativeUpdate).sort()).toEqual(declaredKeys('InitiativeUpdateChild')!.all.sort());
  expect(comment.data.initiativeUpdate).toMatchObject({ id: initiativeUpdateId, health: 'onTrack' });
  const keys = declaredKeys('Reaction')!.all;
  expect(Object.keys(reaction.data).filter((key) => !keys.includes(key))).toEqual([]);
  expect(reaction.data).toMatchObject({ initiativeUpdateId, emoji: 'tada' });
});

// needs of projects come by documents alone
it('needs of projects are told at the project, and those of private teams to nobody else', async () => {
  const end = await receiver();
  const { body } = await makeSandbox(server.app, {
    users: ['alice'],
    tracker: {
      teams: [{ key: 'ENG' }, { key: 'SEC', private: true, members: ['alice'] }],
      projects: [
        { name: 'Open', teams: ['ENG'] },
        { name: 'Hidden', teams: ['SEC'] },
      ],
      customers: [{ name: 'Acme', needs: ['Hidden', 'Open'].map((project) => ({ project, body: project })) }],
      webhooks: [{ url: end.url, resource_types: ['CustomerNeed'] }],
    },
  });
  const alice = new LinearClient({
    accessToken: body.credentials.users.alice.access_token,
    apiUrl: `${server.app.baseUrl}/graphql`,
  });
  const { nodes } = await alice.customerNeeds();
  expect(nodes.map((need) => need.body).sort()).toEqual(['Hidden', 'Open']);
  const named = (name: string) => nodes.find((need) => need.body === name)!.id;
  await alice.updateCustomerNeed(named('Hidden'), { priority: 1 });
  await alice.updateCustomerNeed(named('Open'), { priority: 1 });
  const [told] = (await end.until(({ length }) => length > 0)).map((received) => JSON.parse(received.body));
  const { url } = (await alice.projects({ filter: { name: { eq: 'Open' } } })).nodes[0]!;
  expect(told).toMatchObject({
    type: 'CustomerNeed',
    url,
    data: { id: named('Open'), project: { name: 'Open', url } },
  });
  expect(end.received).toHaveLength(1);
});

it('releases tell nobody of issues of private teams', async () => {
  const org = await server.app.organization();
  const client = org.client();
  const hook = await hookOf(org, { resourceTypes: ['Release'] });
  const secret = await org.newTeam({ private: true });
  const hidden = (await client.createIssue({ teamId: secret.id, title: 'Hidden' })).issueId!;
  const shown = await builds(org).issue({ title: 'Shown' });
  const pipelineId = (await client.createReleasePipeline({ name: 'Web' })).releasePipelineId!;
  const releaseId = (await client.createRelease({ pipelineId, name: 'One' })).releaseId!;
  for (const issueId of [hidden, shown.id]) await client.createIssueToRelease({ issueId, releaseId });
  await client.updateRelease(releaseId, { name: 'Two' });
  await hook.until(2);
  expect(hook.heard[1].data.issues.map(({ title }: { title: string }) => title)).toEqual(['Shown']);
});
