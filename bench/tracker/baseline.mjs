// The fair rival: Fastify, graphql-js and pg, hand-written. Each call looks up its key; a page is one statement, plus
// one per kind of related object (DataLoader); a mutation is one statement that takes the number, inserts and records.
// Parsed and validated documents are cached; budgets count in memory. It checks nothing else.
import { createHash, randomUUID } from 'node:crypto';
import DataLoader from 'dataloader';
import Fastify from 'fastify';
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';
import pg from 'pg';

pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c jit=off' });
const query = (name, text, values) => pool.query({ name, text, values }).then(({ rows }) => rows);

const schema = buildSchema(`
  scalar DateTime
  type User { id: ID! name: String! email: String! displayName: String! }
  type WorkflowState { id: ID! name: String! type: String! color: String! }
  type Team { id: ID! key: String! name: String! }
  type IssueLabel { id: ID! name: String! color: String! }
  type IssueLabelConnection { nodes: [IssueLabel!]! }
  type Issue { id: ID! identifier: String! number: Float! title: String! priority: Float! createdAt: DateTime! updatedAt: DateTime!
    state: WorkflowState! assignee: User team: Team! labels: IssueLabelConnection! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }
  input StringComparator { eq: String }
  input WorkflowStateFilter { type: StringComparator }
  input TeamFilter { key: StringComparator }
  input IssueFilter { state: WorkflowStateFilter team: TeamFilter }
  input IssueCreateInput { teamId: String! title: String stateId: String assigneeId: String labelIds: [String!] description: String priority: Int }
  type IssuePayload { success: Boolean! lastSyncId: Float! issue: Issue! }
  type Query { issues(first: Int, filter: IssueFilter): IssueConnection! }
  type Mutation { issueCreate(input: IssueCreateInput!): IssuePayload! }
`);

const byId = (name, text) => (organization) =>
  new DataLoader(async (ids) => {
    const rows = new Map((await query(name, text, [organization, ids])).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id) ?? null);
  });
const users = byId(
  'users',
  `SELECT id, name, email, display_name AS "displayName" FROM tracker_users WHERE organization_id = $1 AND id = ANY($2::uuid[])`,
);
const states = byId(
  'states',
  `SELECT id, name, type, color FROM workflow_states WHERE organization_id = $1 AND id = ANY($2::uuid[])`,
);
const teams = byId('teams', `SELECT id, key, name FROM teams WHERE organization_id = $1 AND id = ANY($2::uuid[])`);
const labels = byId(
  'labels',
  `SELECT id, name, color FROM issue_labels WHERE organization_id = $1 AND id = ANY($2::uuid[])`,
);

const COLUMNS = `i.id, i.identifier, i.number, i.title, i.priority, i.created_at AS "createdAt", i.updated_at AS "updatedAt",
  i.state_id, i.assignee_id, i.team_id, i.label_ids`;
const relations = (row, load) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  state: () => load.states.load(row.state_id),
  assignee: () => row.assignee_id && load.users.load(row.assignee_id),
  team: () => load.teams.load(row.team_id),
  labels: async () => ({ nodes: (await load.labels.loadMany(ids(row.label_ids))).filter(Boolean) }),
});
const ids = (value) => (Array.isArray(value) ? value : value === '{}' ? [] : value.slice(1, -1).split(','));

const root = {
  async issues({ first = 50, filter }, { organization, load }) {
    const rows = filter
      ? await query(
          'filtered',
          `SELECT ${COLUMNS} FROM issues i JOIN workflow_states s ON s.id = i.state_id JOIN teams t ON t.id = i.team_id
           WHERE i.organization_id = $1 AND i.archived_at IS NULL AND s.type = $3 AND t.key = $4
           ORDER BY i.created_at DESC, i.id DESC LIMIT $2`,
          [organization, first + 1, filter.state.type.eq, filter.team.key.eq],
        )
      : await query(
          'page',
          `SELECT ${COLUMNS} FROM issues i WHERE i.organization_id = $1 AND i.archived_at IS NULL
           ORDER BY i.created_at DESC, i.id DESC LIMIT $2`,
          [organization, first + 1],
        );
    const nodes = rows.slice(0, first);
    const last = nodes.at(-1);
    return {
      nodes: nodes.map((row) => relations(row, load)),
      pageInfo: {
        hasNextPage: rows.length > first,
        endCursor: last
          ? Buffer.from(JSON.stringify({ k: [last.createdAt], id: last.id })).toString('base64url')
          : null,
      },
    };
  },
  async issueCreate({ input }, { organization, user, tenant, load }) {
    const id = randomUUID();
    const [row] = await query(
      'create',
      `WITH team AS (UPDATE teams SET issue_counter = issue_counter + 1 WHERE id = $2 AND organization_id = $1
         RETURNING id, key, issue_counter, default_issue_state_id),
       made AS (INSERT INTO issues AS i (id, organization_id, team_id, number, identifier, title, description, priority, state_id, assignee_id,
           creator_id, label_ids, sort_order, added_to_team_at)
         SELECT $3, $1, team.id, team.issue_counter, team.key || '-' || team.issue_counter, $4, $5, $6, coalesce($7, team.default_issue_state_id),
           $8, $9, $10, coalesce((SELECT min(sort_order) FROM issues WHERE team_id = team.id), 100) - 100, now() FROM team
         RETURNING ${COLUMNS}),
       watched AS (INSERT INTO issue_subscribers (issue_id, user_id) SELECT id, $9 FROM made),
       org AS (UPDATE organizations SET last_sync_id = last_sync_id + 1 WHERE id = $1 AND EXISTS (SELECT FROM made) RETURNING last_sync_id),
       recorded AS (INSERT INTO events (tenant_id, product, kind, room, sync_id, data)
         SELECT $11, 'tracker', 'issue.created', 'org:' || $1::text, org.last_sync_id, to_json(made)::text FROM made, org)
       SELECT made.*, org.last_sync_id FROM made, org`,
      [
        organization,
        input.teamId,
        id,
        input.title,
        input.description ?? null,
        input.priority ?? 0,
        input.stateId ?? null,
        input.assigneeId ?? null,
        user,
        input.labelIds ?? [],
        tenant,
      ],
    );
    return { success: true, lastSyncId: row.last_sync_id, issue: relations(row, load) };
  },
};

const spent = new Map();
const documents = new Map();
function documentOf(text) {
  let document = documents.get(text);
  if (!document) {
    document = parse(text);
    const errors = validate(schema, document);
    if (errors.length > 0) throw errors[0];
    documents.set(text, document);
  }
  return document;
}

const app = Fastify({ logger: false });
app.post('/graphql', async (request, reply) => {
  const [viewer] = await query(
    'viewer',
    `SELECT u.id, u.organization_id, o.tenant_id FROM api_keys k JOIN tracker_users u ON u.id = k.user_id AND u.active JOIN organizations o ON o.id = u.organization_id
     WHERE k.hash = $1 AND k.revoked_at IS NULL`,
    [createHash('sha256').update(request.headers.authorization).digest('hex')],
  );
  if (!viewer) return reply.code(401).send({ errors: [new GraphQLError('Authentication required')] });
  spent.set(viewer.id, (spent.get(viewer.id) ?? 0) + 1);
  const organization = viewer.organization_id;
  const load = {
    users: users(organization),
    states: states(organization),
    teams: teams(organization),
    labels: labels(organization),
  };
  return execute({
    schema,
    document: documentOf(request.body.query),
    rootValue: root,
    variableValues: request.body.variables,
    contextValue: { organization, user: viewer.id, tenant: viewer.tenant_id, load },
  });
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
