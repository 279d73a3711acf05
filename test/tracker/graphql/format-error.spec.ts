import { execute, type ExecutionResult, GraphQLError, graphqlSync, parse, validate } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { describe, expect, it } from 'vitest';
import { formatError, formatResponse, type Phase } from '../../../src/tracker/graphql/format-error.js';
import { trackerErrors } from '../../../src/tracker/values/error-catalogue.js';
import * as errors from '../../../src/tracker/values/errors.js';
import { contractTrackerSchema } from '../../support/tracker-schema.js';

const schema = contractTrackerSchema();
const ID = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

/** The result of executing a resolver that throws this error. */
function thrown(error: unknown) {
  const result = graphqlSync({
    schema,
    source: '{ issue(id: "x") { id } }',
    rootValue: {
      issue: () => {
        throw error;
      },
    },
  });
  return formatResponse(result.errors!, result.data);
}

describe('formatted errors', () => {
  it('of authentication have exactly this body', () => {
    expect(JSON.stringify(formatResponse([errors.authenticationRequired()], null).body)).toBe(
      `{"errors":[{"message":"Authentication required, not authenticated","extensions":{"type":"authentication error","code":"AUTHENTICATION_ERROR","statusCode":401,"userError":true,"userPresentableMessage":"You need to authenticate to access this operation.","meta":{},"http":{"status":401,"headers":{}}}}]}`,
    );
  });

  it('of argument validation have exactly this body', () => {
    const result = graphqlSync({
      schema,
      source: '{ issues(first: 251) { nodes { id } } }',
      rootValue: {
        issues: () => {
          throw errors.invalidArgument('first', 'max', 'first must not be greater than 250');
        },
      },
    });
    expect(formatResponse(result.errors!, result.data)).toEqual({
      status: 200,
      bugs: [],
      body: {
        errors: [
          {
            message: 'Argument Validation Error',
            path: ['issues'],
            locations: [{ line: 1, column: 3 }],
            extensions: {
              type: 'invalid input',
              code: 'INVALID_INPUT',
              statusCode: 400,
              userError: true,
              userPresentableMessage: 'first must not be greater than 250.',
              validationErrors: [
                { property: 'first', children: [], constraints: { max: 'first must not be greater than 250' } },
              ],
            },
          },
        ],
        data: null,
      },
    });
  });

  it('of an empty budget have exactly this body', () => {
    const refusal = errors.budgetEmpty('requests', { limit: 5000, requested: 1, remaining: 0, retryAfter: 7 });
    const message = 'Rate limit exceeded. Only 5000 requests are allowed per 1 hour.';
    expect(formatResponse([refusal], undefined)).toEqual({
      status: 400,
      retryAfter: 7,
      bugs: [],
      body: {
        errors: [
          {
            message,
            extensions: {
              type: 'ratelimited',
              code: 'RATELIMITED',
              statusCode: 429,
              userError: true,
              userPresentableMessage: message,
              meta: {
                rateLimitResult: { allowed: false, requested: 1, remaining: 0, duration: 3600000, limit: 5000 },
              },
              http: { status: 400, headers: {} },
            },
          },
        ],
      },
    });
  });

  const keyMessage =
    "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header.";
  const noQuery = 'GraphQL operations must contain a non-empty query.';
  const discrepancy = 'Discrepancy between issue team and state, cycle or project.';
  it.each([
    [
      2,
      errors.organizationRequired(),
      [403, 'Organization required', 'forbidden', 'FORBIDDEN', 403],
      'Create or join an organization, then use the new access token.',
    ],
    [3, errors.keyAsBearer(), [400, keyMessage, 'invalid input', 'INPUT_ERROR', 400], keyMessage],
    [4, errors.badRequest(), [400, noQuery, 'graphql error', 'BAD_REQUEST', 400], noQuery],
    [4, errors.badRequest(405), [405, noQuery, 'graphql error', 'BAD_REQUEST', 400], noQuery],
    [4, errors.badRequest(413), [413, noQuery, 'graphql error', 'BAD_REQUEST', 400], noQuery],
    [
      5,
      errors.forbidden('You need to be an admin to manage webhooks.'),
      [200, 'Forbidden', 'forbidden', 'FORBIDDEN', 403],
      'You need to be an admin to manage webhooks.',
    ],
    [
      8,
      errors.notFound('Issue'),
      [200, 'Entity not found: Issue', 'invalid input', 'INPUT_ERROR', 400],
      'Could not find referenced Issue.',
    ],
    [
      10,
      errors.unknownReference('stateId'),
      [200, 'Entity not found in validateAccess: stateId', 'invalid input', 'INPUT_ERROR', 400],
      'stateId contained an entry that could not be found.',
    ],
    [11, errors.teamDiscrepancy(), [200, discrepancy, 'invalid input', 'INVALID_INPUT', 400], discrepancy],
    [
      11,
      errors.brokenRule('labelIds not exclusive child labels', 'Only one label in a group can be applied.'),
      [200, 'labelIds not exclusive child labels', 'invalid input', 'INPUT_ERROR', 400],
      'Only one label in a group can be applied.',
    ],
    [
      12,
      errors.idAlreadyUsed('Issue', ID),
      [200, 'conflict on insert of Issue', 'invalid input', 'INPUT_ERROR', 400],
      `Entity Issue with id ${ID} already exists.`,
    ],
    [
      13,
      errors.duplicateLabel('Bug', 'Engineering'),
      [200, 'duplicate label name', 'invalid input', 'INPUT_ERROR', 400],
      'Label "Bug" already exists in team Engineering.',
    ],
    [
      13,
      errors.duplicateLabel('Bug'),
      [200, 'duplicate label name', 'invalid input', 'INPUT_ERROR', 400],
      'Label "Bug" already exists in the workspace.',
    ],
    [
      13,
      errors.duplicate('team key', 'ENG'),
      [200, 'duplicate team key', 'invalid input', 'INPUT_ERROR', 400],
      'The team key "ENG" is already in use.',
    ],
    [
      15,
      errors.tooComplex(15002.2, 10000),
      [400, 'Query too complex', 'ratelimited', 'RATELIMITED', 400],
      'The query is too complex. Complexity: 15002.2. Maximum allowed complexity: 10000.',
    ],
    [17, errors.unavailable(2), [503, 'Service unavailable', 'network error', 'SERVICE_UNAVAILABLE', 503], undefined],
  ] as const)(
    'of row %i of docs/reference/tracker.md#errors have its status, message, type and code',
    (row, refusal, wire, presentable) => {
      const { entry, status } = formatError(refusal);
      const extensions = entry.extensions!;
      expect([status, entry.message, extensions.type, extensions.code, extensions.statusCode]).toEqual(wire);
      expect(extensions.userPresentableMessage).toBe(presentable);
      expect('userPresentableMessage' in extensions).toBe(presentable !== undefined);
      expect(extensions.userError).toBe(row !== 17);
      expect(extensions.http).toEqual(status === 200 ? undefined : { status, headers: {} });
      expect(trackerErrors[refusal.kind].row).toBe(row);
    },
  );

  it('keep path and location of the resolver that threw, and data', () => {
    const { body, status } = thrown(errors.notFound('Issue'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: null, errors: [{ path: ['issue'], locations: [{ line: 1, column: 3 }] }] });
  });

  it('say nothing about an unexpected error, and return it for the log', () => {
    const bug = new Error('relation "secrets" does not exist');
    const answer = thrown(bug);
    expect(answer.bugs).toEqual([bug]);
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.body).toEqual({
      errors: [
        {
          message: 'Internal server error',
          path: ['issue'],
          locations: [{ line: 1, column: 3 }],
          extensions: {
            type: 'internal error',
            code: 'INTERNAL_SERVER_ERROR',
            statusCode: 500,
            userError: false,
            http: { status: 500, headers: {} },
          },
        },
      ],
    });
  });

  it('treat null in a non-null field as an unexpected error', () => {
    const result = graphqlSync({ schema, source: '{ viewer { id } }', rootValue: { viewer: null } });
    expect(formatResponse(result.errors!, result.data)).toMatchObject({ status: 500 });
  });

  it('do so in a compiled operation too, whose errors have no extensions', () => {
    const compiled = compileQuery(schema, parse('{ viewer { id } }'));
    if (!isCompiledQuery(compiled)) throw new Error('it does not compile');
    const result = compiled.query({ viewer: null }, undefined, {}) as ExecutionResult;
    expect(result.errors!.map(({ extensions }) => extensions)).toEqual([undefined]);
    expect(formatResponse(result.errors!, result.data)).toMatchObject({
      status: 500,
      bugs: [result.errors![0]],
      body: { errors: [{ message: 'Internal server error', path: ['viewer'] }] },
    });
  });

  const documentErrors: [Phase, () => readonly unknown[], string, string][] = [
    [
      'parse',
      () => caught(() => parse('{ issue(')),
      'GRAPHQL_PARSE_FAILED',
      'Syntax Error: Expected Name, found <EOF>.',
    ],
    [
      'validate',
      () => validate(schema, parse('{ issue(id: "x") { nosuchfield } }')),
      'GRAPHQL_VALIDATION_FAILED',
      'Cannot query field "nosuchfield" on type "Issue".',
    ],
    [
      'validate',
      () => validate(schema, parse('{ issue(id: "x") { titel } }')),
      'GRAPHQL_VALIDATION_FAILED',
      'Cannot query field "titel" on type "Issue".',
    ],
    [
      'operation',
      () => [new GraphQLError('Unknown operation named "X".')],
      'OPERATION_RESOLUTION_FAILURE',
      'Unknown operation named "X".',
    ],
  ];
  it.each(documentErrors)('of the %s phase are graphql errors', (phase, make, code, message) => {
    const { body, status } = formatResponse(make(), undefined, phase);
    expect(status).toBe(400);
    expect(body).not.toHaveProperty('data');
    expect(body.errors[0]).toMatchObject({
      message,
      extensions: { type: 'graphql error', code, statusCode: 400, userError: true, http: { status: 400, headers: {} } },
    });
    expect(body.errors[0]!.extensions).not.toHaveProperty('userPresentableMessage');
  });

  it('of an invalid variable are recognized by phase and by code', () => {
    const document = parse('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }');
    const { errors: refused } = execute({ schema, document, variableValues: { input: { title: 'x' } } }) as {
      errors: GraphQLError[];
    };
    const byCode = new GraphQLError(refused[0]!.message, { extensions: { code: 'BAD_USER_INPUT' } });
    for (const { entry, status, hasData } of [formatError(refused[0], 'variables'), formatError(byCode)]) {
      expect([status, hasData, entry.extensions!.code]).toEqual([400, false, 'BAD_USER_INPUT']);
      expect(entry.message).toMatch(/Field "teamId" of required type "String!" was not provided\.$/);
    }
  });

  it('of nesting that overflows before execution are BAD_USER_INPUT', () => {
    expect(formatError(new RangeError('Maximum call stack size exceeded'), 'variables')).toMatchObject({
      status: 400,
      entry: { extensions: { code: 'BAD_USER_INPUT' } },
    });
  });
});

function caught(act: () => unknown): unknown[] {
  try {
    act();
  } catch (error) {
    return [error];
  }
  return [];
}
