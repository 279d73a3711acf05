import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  Args,
  GraphQLModule,
  GraphQLSchemaHost,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { execute, type ExecutionResult, type GraphQLSchema, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileOperation } from '../../../src/tracker/graphql/compile.js';
import { PageArgs } from '../../../src/tracker/graphql/connections.js';
import { attachedRelations, derived, relationsOf } from '../../../src/tracker/graphql/relations.js';
import { finishTrackerSchema, relatedTypes } from '../../../src/tracker/graphql/schema.js';
import { IssueFilter } from '../../../src/tracker/issues/issues.filters.js';
import { IssueCreateInput } from '../../../src/tracker/issues/issues.inputs.js';
import { IssueConnection, IssuePayload, issueConstants, IssueType } from '../../../src/tracker/issues/issues.types.js';
import { TrackerError } from '../../../src/tracker/values/errors.js';
import { TeamType } from '../../../src/tracker/teams/teams.types.js';
import '../../support/tracker-schema.js';

const ID = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const NOW = new Date('2026-03-01T00:00:00Z');

interface IssueRow {
  id: string;
  title: string;
  teamId: string;
  createdAt: Date;
}

const row: IssueRow = { id: ID, title: 'Ship it', teamId: 'team-1', createdAt: NOW };
let received: unknown;

@Resolver(() => IssueType)
class StandInResolver {
  @Query(() => IssueConnection)
  issues(@Args() page: PageArgs, @Args('filter', { type: () => IssueFilter, nullable: true }) filter?: IssueFilter) {
    received = { page, filter };
    return { nodes: [row], edges: [{ node: row, cursor: 'c' }], pageInfo: {} };
  }

  @ResolveField(() => String)
  title(@Parent() issue: IssueRow) {
    return `${issue.title}!`;
  }

  @Mutation(() => IssuePayload)
  issueCreate(@Args('input') input: IssueCreateInput) {
    received = input;
    return { success: true, lastSyncId: 7, issue: row };
  }
}

const standIns = [
  relationsOf<IssueRow>(() => IssueType, {
    team: derived((issue, load) => (load as unknown as { team: (id: string) => unknown }).team(issue.teamId)),
    branchName: derived(
      (issue, _load, _args, context) => `${(context as unknown as { viewer: string }).viewer}/${issue.title}`,
    ),
    children: derived((_issue, _load, args) => ({ nodes: [row], args })),
  }),
  relationsOf(() => TeamType, {
    issueCount: derived((_team, _load, { includeArchived }) => (includeArchived ? 2 : 1)),
  }),
];

describe('the finished schema', () => {
  let app: NestFastifyApplication;
  let schema: GraphQLSchema;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [
        GraphQLModule.forRoot<ApolloDriverConfig>({
          driver: ApolloDriver,
          autoSchemaFile: true,
          buildSchemaOptions: { orphanedTypes: relatedTypes() },
          transformSchema: (nest) =>
            finishTrackerSchema(nest, {
              relations: [...attachedRelations(), ...standIns],
              now: () => NOW,
              resolvers: [StandInResolver],
            }),
        }),
      ],
      providers: [StandInResolver],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
      abortOnError: false,
    });
    await app.init();
    schema = app.get(GraphQLSchemaHost).schema;
  });
  afterAll(() => app.close());

  const context = {
    viewer: 'ada',
    load: {
      team: (id: string) => Promise.resolve({ id, name: 'Engineering', createdAt: '2026-01-01T00:00:00+00:00' }),
      // the issue has no delegate, and is nobody's favorite
      row: () => Promise.resolve(null),
      by: () => Promise.resolve(null),
    },
  };

  /** Runs the request on both executors, which must agree. */
  async function run(text: string, variables: Record<string, unknown> = {}): Promise<ExecutionResult> {
    const document = parse(text);
    const plain = await execute({ schema, document, contextValue: context, variableValues: variables });
    const compiled = compileOperation(schema, document)!;
    const { coerced } = compiled.coerce(variables);
    const jit = await compiled.execute(context, coerced!);
    expect(JSON.parse(JSON.stringify(jit))).toEqual(JSON.parse(JSON.stringify(plain)));
    return JSON.parse(JSON.stringify(plain)) as ExecutionResult;
  }

  it('resolves columns from the row, constants from the type, and relations by plain resolvers', async () => {
    const { data, errors } = await run(`{ issues { nodes {
      id createdAt branchName slaType delegate { id } favorite { id }
      sharedAccess { isShared sharedWithUsers { id } disallowedIssueFields }
      team { id name createdAt parent { id } allMembersCanJoin securitySettings issueCount all: issueCount(includeArchived: true) }
    } } }`);
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      issues: {
        nodes: [
          {
            id: ID,
            createdAt: '2026-03-01T00:00:00.000Z',
            branchName: 'ada/Ship it',
            slaType: null,
            delegate: null,
            favorite: null,
            sharedAccess: { isShared: false, sharedWithUsers: [], disallowedIssueFields: [] },
            team: {
              id: 'team-1',
              name: 'Engineering',
              createdAt: '2026-01-01T00:00:00.000Z',
              parent: null,
              allMembersCanJoin: true,
              securitySettings: {},
              issueCount: 1,
              all: 2,
            },
          },
        ],
      },
    });
  });

  it('keeps methods with @ResolveField', async () => {
    const { data } = await run('{ issues { nodes { title } } }');
    expect(data).toEqual({ issues: { nodes: [{ title: 'Ship it!' }] } });
  });

  it('passes validated and converted arguments to Nest’s resolvers', async () => {
    await run(
      'query Q($filter: IssueFilter) { issues(first: 3, orderBy: updatedAt, filter: $filter) { nodes { id } } }',
      { filter: { updatedAt: { gt: '-P2W' }, team: { id: { eq: ID } } } },
    );
    expect(received).toMatchObject({
      page: { first: 3, orderBy: 'updatedAt' },
      filter: { updatedAt: { gt: new Date('2026-02-15T00:00:00Z') }, team: { id: { eq: ID } } },
    });
    const created = await run('mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { lastSyncId } }', {
      input: { teamId: ID.toUpperCase(), title: 'x', createdAt: '-P1D', dueDate: 'P1D', description: null },
    });
    expect(created).toEqual({ data: { issueCreate: { lastSyncId: 7 } } });
    expect(received).toBeInstanceOf(IssueCreateInput);
    expect({ ...(received as object) }).toEqual({
      teamId: ID,
      title: 'x',
      createdAt: new Date('2026-02-28T00:00:00Z'),
      dueDate: '2026-03-02',
    });
  });

  it('refuses bad arguments before any resolver runs, also below the root', async () => {
    received = undefined;
    const refused = await execute({
      schema,
      document: parse('{ issues(last: 0) { nodes { id } } }'),
      contextValue: context,
    });
    expect(refused.errors?.[0]?.originalError).toBeInstanceOf(TrackerError);
    expect(received).toBeUndefined();
    const below = await run('{ issues { nodes { children(first: 251) { nodes { id } } } } }');
    expect(below.errors?.[0]).toMatchObject({
      message: 'Argument Validation Error',
      path: ['issues', 'nodes', 0, 'children'],
    });
  });

  it('evaluates relative dates at the schema’s own current time', async () => {
    const input = { teamId: ID, title: 'x', createdAt: '2026-03-01T00:00:01Z' };
    const { errors } = await run('mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
      input,
    });
    expect(errors?.[0]?.message).toBe('Argument Validation Error');
  });

  it('compiles operations whose variables are filters, with the errors of graphql-js for unfitting ones', () => {
    const document = parse(
      'query Q($filter: IssueFilter, $first: Int = 2) { issues(filter: $filter, first: $first) { nodes { id } } }',
    );
    const compiled = compileOperation(schema, document)!;
    expect(compiled.coerce({ filter: { title: { eq: 'x' } } }).coerced).toEqual({
      filter: { title: { eq: 'x' } },
      first: 2,
    });
    expect(compiled.coerce({ filter: { titel: {} } }).errors?.[0]?.message).toMatch(
      /^Variable "\$filter" got invalid value .*; Field "titel" is not defined by type "IssueFilter"\./,
    );
  });

  it('leaves durations in a document to graphql-js, since compiling would fix their current time', () => {
    const document = parse('{ issues(filter: { createdAt: { gt: "-P1D" } }) { nodes { id } } }');
    expect(compileOperation(schema, document)).toBeUndefined();
  });

  it('hides from introspection what is added for compiling', async () => {
    const { data } = await run('query Q($a: String = "x") { __type(name: $a) { name } __schema { types { name } } }');
    expect(JSON.stringify(data)).not.toContain('Coerced');
  });

  it('refuses to attach a resolver or a constant to an unknown field', () => {
    const bare = () =>
      finishTrackerSchema(schema, { relations: [relationsOf(() => IssueType, { teem: derived(() => null) })] });
    expect(bare).toThrow('A resolver for Issue.teem, which is no field of the schema');
  });

  it('exports the constants of a type for wire objects that are built by hand', () => {
    expect(issueConstants).toMatchObject({ boardOrder: 0, slaType: null });
    expect(issueConstants).not.toHaveProperty('title');
  });
});
