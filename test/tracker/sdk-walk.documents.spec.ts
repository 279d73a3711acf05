import { LinearClient } from '@linear/sdk';
import { getNamedType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { closeReceivers, receiver } from '../support/receiver.js';
import { Answers, sdkDocuments, type SdkDocument } from '../support/sdk-documents.js';
import { AFTER, BEFORE, FILL, INBOX, type Caller, type Step } from '../support/sdk-steps.js';
import { UNSET } from '../support/sdk-unset.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { contractTrackerSchema } from '../support/tracker-schema.js';
import { WHOLE } from '../support/whole-document.js';

const ADMIN_TOKEN = 'operator of the walk';
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const BOBS_KEY = `svc_api_${crypto.randomUUID()}`;

/** A document with every field, a second person, and an application that is an agent. */
const SEED = {
  ...WHOLE,
  rate_limit_multiplier: 0,
  users: [...WHOLE.users, { name: 'bob', api_key: BOBS_KEY }],
  tracker: {
    ...WHOLE.tracker,
    apps: WHOLE.tracker.apps.map((one) => ({
      ...one,
      webhook_resource_types: ['Issue', 'AgentSessionEvent'],
      installed: { ...one.installed, scopes: ['read', 'write', 'app:assignable', 'app:mentionable'] },
    })),
  },
};

const { tracker } = WHOLE;
/** Ids of what the document says most of. */
const RICH: Readonly<Record<string, string>> = {
  Issue: tracker.teams[0]!.issues[0]!.id!,
  Comment: tracker.teams[0]!.issues[0]!.comments![0]!.id,
  Attachment: tracker.teams[0]!.issues[0]!.attachments![0]!.id,
  Cycle: tracker.teams[0]!.cycles[0]!.id,
  IssueLabel: tracker.teams[0]!.labels[0]!.id,
  Project: tracker.projects[0]!.id!,
  ProjectLabel: tracker.project_labels[1]!.id,
  ProjectMilestone: (tracker.projects[0]!.milestones[0] as { id: string }).id,
  Initiative: tracker.initiatives[0]!.id!,
  InitiativeLabel: tracker.initiative_labels[1]!.id,
  Customer: tracker.customers[0]!.id,
  CustomerNeed: tracker.customers[0]!.needs[0]!.id,
  CustomView: tracker.views[0]!.id,
  Document: (tracker.documents[0] as { id: string }).id,
  Release: tracker.release_pipelines[0]!.releases[0]!.id,
  ReleasePipeline: tracker.release_pipelines[0]!.id,
  ReleaseNote: tracker.release_pipelines[0]!.notes[0]!.id,
};

// docs/reference/tracker.md#clients
describe.skipIf(serverUrl === undefined)(`every document of the official client, by two servers${onPostgres}`, () => {
  const schema = contractTrackerSchema();
  const documents = new Map(sdkDocuments(schema).map((one) => [one.name, one]));
  const roots = schema.getQueryType()!.getFields();
  const servers: ServerProcess[] = [];
  closeReceivers();
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ensureBuilt();
    const database = await createDatabase();
    drop = database.drop;
    const env = {
      DATABASE_URL: database.url,
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_TRACKER_REQUESTS_PER_HOUR: '100000',
      SVC_TRACKER_COMPLEXITY_PER_HOUR: '100000000',
    };
    servers.push(await ServerProcess.start(env), await ServerProcess.start(env));
  }, 600_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGTERM')));
    await drop?.();
  }, 60_000);

  it('answers, and has a value for every field that its objects have', { timeout: 300_000 }, async () => {
    const made: Record<string, string> = {};
    const users: Record<string, string> = {};
    const states: Record<string, string> = {};
    const answers = new Answers(schema);
    const called = new Set<string>();
    const failed: string[] = [];
    const response = await fetch(`${servers[0]!.baseUrl}/api/sandboxes`, {
      method: 'POST',
      headers: { 'x-admin-token': ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(SEED),
    });
    const { credentials } = (await response.json()) as {
      credentials: { tracker_apps: Record<string, { access_token: string }> };
    };
    const tokens: Record<Caller, { apiKey: string } | { accessToken: string }> = {
      alice: { apiKey: WHOLE.users[0]!.api_key },
      bob: { apiKey: BOBS_KEY },
      agent: { accessToken: credentials.tracker_apps['importer']!.access_token },
      pipeline: { apiKey: WHOLE.tracker.release_pipelines[0]!.access_keys[0]!.token },
    };
    let calls = 0;
    /** Each call goes to the other server than the one before. */
    const clientOf = (as: Caller): LinearClient =>
      new LinearClient({ ...tokens[as], apiUrl: `${servers[calls++ % 2]!.baseUrl}/graphql` });
    const call = async (one: SdkDocument, variables: object, as: Caller): Promise<Record<string, string>> => {
      called.add(one.name);
      try {
        const { client } = clientOf(as);
        return answers.note(
          one,
          await client.request<Record<string, unknown>, Record<string, unknown>>(one.text, { ...variables }),
        );
      } catch (error) {
        failed.push(`${one.name}: ${(error as Error).message.slice(0, 200)}`);
        return {};
      }
    };

    const idOf = (type: string): string => made[type] ?? answers.ids[type] ?? `no ${type}`;
    /** Arguments of queries that are not the id of what is answered. */
    const given: Record<string, () => object> = {
      attachmentIssue: () => ({ id: idOf('Attachment') }),
      attachmentsForURL: () => ({ url: 'http://127.0.0.1:9/ticket' }),
      customViewHasSubscribers: () => ({ id: idOf('CustomView') }),
      issueRepositorySuggestions: () => ({
        issueId: idOf('Issue'),
        candidateRepositories: [{ hostname: 'github.com', repositoryFullName: 'acme/app' }],
      }),
      issueSearch: () => ({ query: 'Fix' }),
      notification: () => ({ id: idOf('IssueNotification') }),
      notificationSubscription: () => ({ id: made['NotificationSubscription'] }),
      releaseSearch: () => ({ term: 'Spring' }),
      searchDocuments: () => ({ term: 'a' }),
      searchIssues: () => ({ term: 'a' }),
      searchProjects: () => ({ term: 'a' }),
      semanticSearch: () => ({ query: 'Walk' }),
    };
    const read = async (as: Caller, isWanted: (one: SdkDocument) => boolean): Promise<void> => {
      for (const one of documents.values()) {
        if (one.operation.operation !== 'query' || !isWanted(one)) continue;
        const { args, type } = roots[one.field]!;
        const hasId = args.some(({ name }) => name === 'id');
        const variables = given[one.field]?.() ?? (hasId ? { id: idOf(getNamedType(type).name) } : {});
        const declared = new Set(one.operation.variableDefinitions?.map(({ variable }) => variable.name.value));
        await call(one, { ...variables, ...(declared.has('includeArchived') && { includeArchived: true }) }, as);
      }
    };
    const run = async (steps: readonly Step[]): Promise<void> => {
      for (const [name, variables, as = 'alice'] of steps) {
        const ids = await call(
          documents.get(name)!,
          variables({ seeded, made, users, states, picture: picture.url }),
          as,
        );
        // what a creation answers is what it made; other answers hold the ids of other things as well
        const type = /^Create(?:IssueBatch|(\w+))$|^(AgentSession)CreateOn|^(Customer)Upsert/.exec(name);
        if (!type) continue;
        const kind = type[1] ?? type[2] ?? type[3] ?? 'Issue';
        const id = ids[kind] ?? Object.entries(ids).find(([one]) => one.endsWith(kind))?.[1];
        if (id !== undefined) made[kind] = id;
      }
    };

    const picture = await receiver((_, reply) => void reply.setHeader('content-type', 'image/gif').end(PIXEL));
    const isByKey = ({ field }: SdkDocument): boolean => field.endsWith('ByAccessKey');
    const isInbox = ({ field }: SdkDocument): boolean => /^(notifications?|inboxNotifications)$/.test(field);
    const isList = ({ field }: SdkDocument): boolean =>
      !roots[field]!.args.some(({ type, name }) => isNonNullType(type) || name === 'id');

    await read('alice', (one) => isList(one) && !isByKey(one));
    const seeded = { ...answers.ids };
    const alice = clientOf('alice');
    users['alice'] = (await alice.viewer).id;
    users['bob'] = (await clientOf('bob').viewer).id;
    users['agent'] = (await clientOf('agent').viewer).id;
    const [team] = WHOLE.tracker.teams;
    for (const { id, name } of (await (await alice.team(team!.id)).states()).nodes) states[name] = id;
    for (const { id, type } of (await alice.projectStatuses()).nodes) states[`project ${type}`] = id;
    const { urlKey } = await alice.organization;
    const { branchName } = (await alice.issues({ filter: { title: { eq: 'Part' } } })).nodes[0]!;
    given['organizationExists'] = () => ({ urlKey });
    given['issueVcsBranchSearch'] = () => ({ branchName });
    await run(BEFORE);
    made['DocumentContent'] = (await alice.document(made['Document']!)).documentContentId!;
    await run(FILL);
    await read('alice', (one) => !isByKey(one) && !isInbox(one));
    // the same of what the document has, of which more is filled in
    const latest = { ...made };
    Object.assign(made, RICH);
    await read('alice', ({ field }) => RICH[field[0]!.toUpperCase() + field.slice(1)] !== undefined);
    Object.assign(made, latest);
    await read('bob', (one) => isInbox(one) && isList(one));
    await read('bob', isInbox);
    await read('pipeline', isByKey);
    made['IssueNotification'] = answers.ids['IssueNotification']!;
    made['ProjectNotification'] = answers.ids['ProjectNotification']!;
    await run(INBOX);
    await run(AFTER);

    expect(failed).toEqual([]);
    expect([...documents.keys()].filter((name) => !called.has(name))).toEqual([]);
    expect(documents.size).toBe(449);
    const missing = [...answers.asked].filter((field) => !answers.given.has(field) && !UNSET.has(field));
    const needless = [...UNSET].filter((field) => answers.given.has(field) || !answers.asked.has(field));
    expect({ missing, needless }).toEqual({ missing: [], needless: [] });
  });
});
