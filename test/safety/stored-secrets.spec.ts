import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { InstanceSecrets } from '../../src/kernel/database/instance-secrets.js';
import { StoreError } from '../../src/kernel/database/store-error.js';
import { newHex } from '../../src/kernel/ids/ids.js';
import { svcSignature } from '../../src/webhooks/signing.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';
import { closeReceivers, receiver, type Receiver } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';

closeReceivers();
const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
const APP_SECRET = newHex(32);
const RESEEDED = newHex(32);
/** A user may choose a secret that looks like an encrypted one. */
const WEBHOOK_SECRET = 'sealed:old:looks-like-one';
const KEYS = { old: `old:${newHex(64)}`, new: `new:${newHex(64)}` };

/** Everything stored that contains secrets, as text. */
const STORED = `SELECT string_agg(t, ' ') AS text FROM (
  SELECT signing_secret || ' ' || verification_token AS t FROM apps
  UNION ALL SELECT secret FROM event_targets UNION ALL SELECT secret FROM tracker_webhooks
  UNION ALL SELECT image::text FROM sandbox_undo UNION ALL SELECT value FROM instance_values) r`;

/** docs/reference/safety.md#secrets-at-rest */
describe('SVC_SECRET_KEY', () => {
  const folder = scratchFolder();
  let database: { url: string; drop: () => Promise<void> } | undefined;
  let far: Receiver;
  // oxlint-disable-next-line no-explicit-any
  let made: any;
  const readable = (): string[] => [
    APP_SECRET,
    RESEEDED,
    made.credentials.signing_secret,
    made.credentials.refs.out.secret,
  ];

  beforeAll(async () => {
    database = serverUrl === undefined ? undefined : await createDatabase();
    far = await receiver();
  });
  afterAll(() => database?.drop());

  /** Starts on the store of this spec, which also keeps the instance secret. */
  async function during<T>(keys: string | undefined, work: (app: TestApp) => Promise<T>): Promise<T> {
    const app = await TestApp.start({
      SVC_DATA_DIR: folder,
      SVC_JWT_SECRET: '',
      ...(database && { DATABASE_URL: database.url }),
      ...(keys !== undefined && { SVC_SECRET_KEY: keys }),
    });
    try {
      return await work(app);
    } finally {
      await app.stop();
    }
  }

  // oxlint-disable-next-line no-explicit-any
  async function send(app: TestApp, method: string, path: string, headers: object, body?: object): Promise<any> {
    const response = await fetch(`${app.baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status, await response.clone().text()).toBeLessThan(300);
    return response.json();
  }
  const control = (app: TestApp, method: string, path: string, body?: object) =>
    send(
      app,
      method,
      `/api/sandboxes/self${path}`,
      { authorization: `Bearer ${made.credentials.control_token}` },
      body,
    );
  const stored = async (app: TestApp): Promise<string> =>
    ((await app.nest.get(Db).readText<{ text: string }>(STORED))[0] as { text: string }).text;

  /** Verifies that each target is signed with the secret that its creator received. */
  async function expectSigned(app: TestApp, appSecret: string, hasTracker = true): Promise<void> {
    const name = `heard-${newHex(6)}`;
    const { bot_token: bot, api_key: key } = made.credentials;
    await send(app, 'POST', '/api/conversations.create', { authorization: `Bearer ${bot}` }, { name });
    const { data } = await send(
      app,
      'POST',
      '/graphql',
      { authorization: key },
      { query: '{ teams { nodes { id } } }' },
    );
    const query = `mutation { issueCreate(input: { teamId: "${data.teams.nodes[0].id}", title: "${name}" }) { success } }`;
    await send(app, 'POST', '/graphql', { authorization: key }, { query });
    const isIt = ({ body }: { body: string }): boolean => body.includes(name);
    const heard = (await far.until((all) => all.filter(isIt).length === (hasTracker ? 3 : 2))).filter(isIt);
    const signed = Object.fromEntries(
      heard.map(({ path, headers, body }) => [path, { signature: headers['svc-signature'], body }]),
    );
    for (const [path, secret] of [
      ['/app', appSecret],
      ['/outgoing', made.credentials.refs.out.secret],
      ...(hasTracker ? [['/tracker', WEBHOOK_SECRET]] : []),
    ]) {
      expect(signed[path]?.signature, path).toBe(svcSignature(secret, signed[path]?.body ?? ''));
    }
  }

  it('is optional: without it secrets are stored readable', async () => {
    const keys = await during(undefined, async (app) => {
      const url = far.url.replace('/hook', '');
      const events = ['channel_created'];
      const apps = [
        {
          name: 'relay',
          scopes: { bot: ['channels:read'] },
          event_subscriptions: { request_url: `${url}/app`, events },
        },
      ];
      made = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
        apps: apps.map((one) => ({ ...one, signing_secret: APP_SECRET })),
        outgoing_webhooks: [{ url: `${url}/outgoing`, events, name: 'out', ref: 'out' }],
      });
      const input = `{ url: "${url}/tracker", secret: "${WEBHOOK_SECRET}", resourceTypes: ["Issue"], allPublicTeams: true }`;
      const query = `mutation { webhookCreate(input: ${input}) { webhook { secret } } }`;
      const { data } = await send(app, 'POST', '/graphql', { authorization: made.credentials.api_key }, { query });
      expect(data.webhookCreate.webhook.secret).toBe(WEBHOOK_SECRET);
      // the stored image of the app, to which a reset returns, has the first secret
      await control(app, 'POST', '/seed', { apps: [{ name: 'relay', signing_secret: RESEEDED }] });
      await expectSigned(app, RESEEDED);
      const text = await stored(app);
      for (const secret of readable()) expect(text).toContain(secret);
      return app.nest.get(InstanceSecrets).key('a purpose');
    });
    await during(KEYS.old, async (app) => {
      expect(app.nest.get(InstanceSecrets).key('a purpose')).toEqual(keys);
    });
  });

  it('encrypts existing secrets at the next start, and new ones from then on', async () => {
    await during(KEYS.old, async (app) => {
      const text = await stored(app);
      for (const secret of readable()) expect(text).not.toContain(secret);
      expect(text).toContain('sealed:old:');
      await expectSigned(app, RESEEDED);
      const another = await send(app, 'POST', '/api/sandboxes', OPERATOR, {});
      expect(another.credentials.signing_secret).toMatch(/^[0-9a-f]{32}$/);
      expect(await stored(app)).not.toContain(another.credentials.signing_secret);
      expect(
        await app.nest
          .get(Db)
          .readText('SELECT id FROM apps WHERE NOT starts_with(signing_secret, $1)', ['sealed:old:']),
      ).toEqual([]);
    });
  });

  it('can be rotated: what an older key encrypted is encrypted again with the first key', async () => {
    await during(`${KEYS.new},${KEYS.old}`, async (app) => {
      const text = await stored(app);
      expect(text).toContain('sealed:new:');
      expect(text).not.toContain('sealed:old:');
    });
    await during(KEYS.new, async (app) => {
      await expectSigned(app, RESEEDED);
      await control(app, 'POST', '/reset', {});
    });
    await during(KEYS.new, async (app) => {
      // the tracker's webhook was created after the baseline
      await expectSigned(app, APP_SECRET, false);
    });
  });

  it('fails the start with an explanation when a key is missing or wrong', async () => {
    for (const [keys, sentence] of [
      [undefined, /encrypted with the key "new", which SVC_SECRET_KEY does not name/],
      [KEYS.old, /encrypted with the key "new", which SVC_SECRET_KEY does not name/],
      [`new:${newHex(64)}`, /the key "new" of SVC_SECRET_KEY is not the one/],
    ] as const) {
      const failing = during(keys, async () => undefined);
      await expect(failing).rejects.toThrow(StoreError);
      await expect(failing).rejects.toThrow(sentence);
    }
  });
});
