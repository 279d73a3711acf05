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
 * A GraphQL entity that this repository does not have: test/tracker/milestones holds all of it, except for one
 * line each in the lists of tables and of modules (see CONTRIBUTING.md). It runs in a process of its own, as the
 * declarations of decorators last as long as the process.
 */
describe('a new GraphQL entity', { timeout: 120_000 }, () => {
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
      env: { ...env, PORT: '0', SVC_DATA_DIR: 'memory', SVC_LOG_LEVEL: 'error', SVC_LOG_FORMAT: 'json' },
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
    expect(names(data.type.fields)).toEqual(['createdAt', 'id', 'name', 'team', 'updatedAt']);
    expect(names(data.filter.inputFields)).toEqual(['and', 'name', 'or', 'team']);
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
});
