import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = fileURLToPath(new URL('milestones', import.meta.url));
/** Inside node_modules, so that packages are resolved from there. */
const compiled = join(root, 'node_modules', `.milestones-${process.pid}`);

interface Ready {
  port: number;
  keys: { ada: string; bob: string };
  teamId: string;
  hiddenTeamId: string;
  secretId: string;
}

/**
 * An entity that this repository does not have: test/tracker/milestones holds all of it, except for its line in
 * src/tracker/entities.ts (see CONTRIBUTING.md). It runs in a process of its own, as the
 * declarations of decorators last as long as the process.
 */
describe('a new entity', { timeout: 120_000 }, () => {
  let server: ChildProcess;
  let toys: Ready;

  beforeAll(async () => {
    ensureBuilt();
    mkdirSync(compiled, { recursive: true });
    writeFileSync(join(compiled, 'package.json'), '{ "type": "module" }');
    const dist = pathToFileURL(join(root, 'dist')).href;
    for (const file of readdirSync(sources)) {
      const { outputText } = ts.transpileModule(readFileSync(join(sources, file), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2023,
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
        },
      });
      writeFileSync(join(compiled, file.replace(/\.ts$/, '.js')), outputText.replaceAll('../../../src', dist));
    }
    const { DATABASE_URL: _, ...env } = process.env;
    server = fork(join(compiled, 'server.js'), {
      env: {
        ...env,
        PORT: '0',
        SVC_ADMIN_TOKEN: 'operator',
        SVC_DATA_DIR: 'memory',
        SVC_LOG_LEVEL: 'error',
        SVC_LOG_FORMAT: 'json',
      },
      execArgv: [],
    });
    const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)));
    [toys] = (await Promise.race([once(server, 'message'), ended])) as [Ready];
    ended.catch(() => undefined);
  }, 300_000);
  afterAll(async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
    rmSync(compiled, { recursive: true, force: true });
  });

  async function graphql(query: string, variables: object = {}, who: 'ada' | 'bob' = 'ada') {
    const response = await fetch(`http://127.0.0.1:${toys.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: toys.keys[who] },
      body: JSON.stringify({ query, variables }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
    return (await response.json()) as { data?: any; errors?: { message: string; extensions: { code: string } }[] };
  }
  const create = (teamId: string, name: string) =>
    graphql(
      `
        mutation ($input: MilestoneCreateInput!) {
          milestoneCreate(input: $input) {
            success
            milestone {
              id
              name
              team {
                key
              }
            }
          }
        }
      `,
      { input: { teamId, name } },
    );

  it('has its type with its relation, its filter, and its connection below a team in the schema', async () => {
    const { data } = await graphql(`
      {
        type: __type(name: "Milestone") {
          fields {
            name
          }
        }
        filter: __type(name: "MilestoneFilter") {
          inputFields {
            name
          }
        }
        team: __type(name: "Team") {
          fields {
            name
            args {
              name
            }
          }
        }
      }
    `);
    const names = (fields: { name: string }[]): string[] => fields.map(({ name }) => name).sort();
    expect(names(data.type.fields)).toEqual(
      'createdAt description doneAt id isDone name owner points targetDate team updatedAt'.split(' '),
    );
    expect(names(data.filter.inputFields)).toEqual(
      'and createdAt description doneAt id isDone name or owner points targetDate team updatedAt'.split(' '),
    );
    const connection = data.team.fields.find(({ name }: { name: string }) => name === 'milestones');
    expect(names(connection.args)).toEqual([
      'after',
      'before',
      'filter',
      'first',
      'includeArchived',
      'last',
      'orderBy',
    ]);
  });

  it('is written, loaded with its references, filtered by them, and found below its team', async () => {
    for (const name of ['Alpha', 'Beta']) {
      expect((await create(toys.teamId, name)).data).toEqual({
        milestoneCreate: { success: true, milestone: { id: expect.any(String), name, team: { key: 'ENG' } } },
      });
    }
    const { data, errors } = await graphql(
      `
        query ($teamId: String!, $byTeam: MilestoneFilter) {
          milestones(filter: $byTeam) {
            nodes {
              name
              team {
                key
                name
              }
            }
          }
          team(id: $teamId) {
            milestones(first: 1, filter: { name: { startsWith: "A" } }) {
              nodes {
                name
              }
            }
          }
        }
      `,
      { teamId: toys.teamId, byTeam: { team: { key: { eq: 'ENG' } }, name: { neq: 'Gamma' } } },
    );
    expect(errors).toBeUndefined();
    const team = { key: 'ENG', name: 'Engineering' };
    expect(data.milestones.nodes).toEqual([
      { name: 'Beta', team },
      { name: 'Alpha', team },
    ]);
    expect(data.team.milestones.nodes).toEqual([{ name: 'Alpha' }]);
  });

  it('refuses a reference to a team that the caller does not see', async () => {
    for (const teamId of [randomUUID(), toys.hiddenTeamId]) {
      const { errors } = await create(teamId, 'Nowhere');
      expect(errors?.[0]?.message).toMatch(/teamId/);
    }
  });

  it('is hidden with its team, and visible to members of that team', async () => {
    const one = `query ($id: String!) { milestone(id: $id) { name } milestones(filter: { name: { startsWith: "Secret" } }) { nodes { name } } }`;
    const hidden = await graphql(one, { id: toys.secretId });
    expect(hidden.errors?.[0]?.message).toBe('Entity not found: Milestone');
    const none = await graphql('{ milestones(filter: { name: { startsWith: "Secret" } }) { nodes { name } } }');
    expect(none.data).toEqual({ milestones: { nodes: [] } });
    const seen = await graphql(one, { id: toys.secretId }, 'bob');
    expect(seen.data).toEqual({
      milestone: { name: 'Secret launch' },
      milestones: { nodes: [{ name: 'Secret launch' }] },
    });
  });

  /** A sandbox of the toy server, by a document; calls it as its admin. */
  async function sandbox(document: object) {
    const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${toys.port}${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- specs read deep into answers
      return { status: response.status, body: (await response.json()) as any };
    };
    const made = await send('POST', '/api/sandboxes', { 'x-admin-token': 'operator' }, document);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const control = { 'x-sandbox-token': String(made.body.credentials.control_token) };
    const key = { authorization: String(made.body.credentials.api_key) };
    return {
      control: (method: string, path: string, body?: object) =>
        send(method, `/api/sandboxes/self${path}`, control, body),
      graphql: async (query: string, variables: object = {}) => {
        const { body } = await send('POST', '/graphql', key, { query, variables });
        return body;
      },
    };
  }
  const ALPHA = { name: 'Alpha', owner: 'alice', target_date: '2026-03-01', points: 3, at: '2026-01-02T00:00:00.000Z' };
  const BETA = { name: 'Beta', description: 'Then', is_done: true, at: '2026-01-03T00:00:00.000Z' };
  const seeded = () =>
    sandbox({
      name: 'toys',
      journal: true,
      users: [{ name: 'alice' }],
      tracker: { teams: [{ key: 'ENG', milestones: [ALPHA, BETA] }] },
    });

  it('is seeded by a document, sorted and filtered by its fields, and exported as it was seeded', async () => {
    const { control, graphql: ask } = await seeded();
    const { data, errors } = await ask(`{
      up: milestones(sort: [{ points: { order: Ascending } }]) { nodes { name owner { name } targetDate isDone points } }
      down: milestones(sort: [{ name: { order: Descending } }], filter: { createdAt: { lt: "2026-01-03" } }) { nodes { name } }
      open: milestones(filter: { isDone: { eq: false }, owner: { null: false } }) { nodes { name } }
      due: milestones(filter: { targetDate: { lt: "2026-04-01" } }) { nodes { name } }
    }`);
    expect(errors).toBeUndefined();
    expect(data.up.nodes).toEqual([
      { name: 'Beta', owner: null, targetDate: null, isDone: true, points: 0 },
      { name: 'Alpha', owner: { name: 'alice' }, targetDate: '2026-03-01', isDone: false, points: 3 },
    ]);
    for (const list of [data.down, data.open, data.due]) expect(list).toEqual({ nodes: [{ name: 'Alpha' }] });
    const exported = (await control('GET', '/seed')).body;
    expect(exported.tracker.teams[0].milestones).toEqual([ALPHA, BETA]);
    const again = await sandbox(exported);
    expect((await again.control('GET', '/seed')).body).toEqual(exported);
  });

  it('refuses a document with values that do not fit its fields, or names that nothing has', async () => {
    const post = async (milestones: object[]) => {
      const response = await fetch(`http://127.0.0.1:${toys.port}/api/sandboxes`, {
        method: 'POST',
        headers: { 'x-admin-token': 'operator', 'content-type': 'application/json' },
        body: JSON.stringify({ tracker: { teams: [{ key: 'ENG', milestones }] } }),
      });
      return ((await response.json()) as { message: unknown }).message;
    };
    expect(await post([{ points: -1 }, { name: 'x', is_done: 'yes', owner: 'nobody' }])).toEqual([
      'tracker.teams[0].milestones[0].name: must be a text that is not blank',
      'tracker.teams[0].milestones[0].points: must be a number from 0 up',
      'tracker.teams[0].milestones[1].is_done: must be true or false',
    ]);
    expect(await post([{ name: 'x', owner: 'nobody' }])).toEqual([
      'tracker.teams[0].milestones[0].owner: nothing has the name "nobody"',
    ]);
  });

  it('is changed and deleted with its rules, its events, and its changes for assertions', async () => {
    const { control, graphql: ask } = await seeded();
    const { data } = await ask('{ milestones { nodes { id } } }');
    const [beta, alpha] = data.milestones.nodes.map(({ id }: { id: string }) => id);
    const update = (id: string, input: object) =>
      ask(
        `mutation ($id: String!, $input: MilestoneUpdateInput!) {
          milestoneUpdate(id: $id, input: $input) { success lastSyncId milestone { name isDone doneAt } } }`,
        { id, input },
      );
    const done = await update(alpha, { isDone: true, points: 5 });
    expect(done.data.milestoneUpdate).toMatchObject({ success: true, milestone: { isDone: true } });
    expect(Date.parse(done.data.milestoneUpdate.milestone.doneAt)).toBeGreaterThan(0);
    expect((await update(alpha, { name: 'Renamed' })).errors[0].message).toBe('milestone is done');
    expect((await update(beta, { name: '' })).errors[0].extensions.userPresentableMessage).toBe(
      'name should not be empty.',
    );
    const gone = await ask(`mutation ($id: String!) { milestoneDelete(id: $id) { success entityId } }`, { id: beta });
    expect(gone.data.milestoneDelete).toEqual({ success: true, entityId: beta });

    const { entries } = (await control('GET', '/timeline?kind=event')).body;
    const told = entries.filter(({ event }: { event: string }) => event.startsWith('milestone.'));
    expect(told.map(({ event }: { event: string }) => event)).toEqual(['milestone.updated', 'milestone.removed']);
    expect(told[0].data).toMatchObject({
      type: 'Milestone',
      data: { id: alpha, isDone: true, points: 5 },
      updatedFrom: { isDone: false, doneAt: null, points: 3 },
    });

    const changes = (await control('GET', '/changes')).body;
    expect(changes.removed.milestone).toMatchObject([{ name: 'Beta', team: 'ENG' }]);
    expect(changes.changed.milestone).toMatchObject([
      { id: alpha, after: { owner: 'alice', points: 5 }, fields: expect.arrayContaining(['isDone', 'points']) },
    ]);
    const verdict = await control('POST', '/assert', {
      expect: [{ changed: 'milestone', where: { after: { name: 'Alpha', owner: 'alice' } }, count: 1 }],
      nothing_else: ['issue'],
    });
    expect(verdict.body).toMatchObject({ passed: true, failures: [] });
  });

  it('is copied with its sandbox, and put back by a reset', async () => {
    const { control, graphql: ask } = await seeded();
    const snapshot = (await control('POST', '/snapshots', { name: 'before' })).body;
    await ask('mutation ($input: MilestoneCreateInput!) { milestoneCreate(input: $input) { success } }', {
      input: { name: 'Gamma', teamId: (await ask('{ teams { nodes { id } } }')).data.teams.nodes[0].id },
    });
    const names = async (of: typeof ask): Promise<string[]> =>
      (await of('{ milestones { nodes { name } } }')).data.milestones.nodes.map(({ name }: { name: string }) => name);
    expect(await names(ask)).toEqual(['Gamma', 'Beta', 'Alpha']);
    const copy = await sandbox({ from: snapshot.id });
    expect(await names(copy.graphql)).toEqual(['Beta', 'Alpha']);
    expect((await control('POST', '/reset')).status).toBe(200);
    expect(await names(ask)).toEqual(['Beta', 'Alpha']);
  });
});
