const someId = (prefix: string): string =>
  `${prefix}0${crypto.randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}`;
const appId = someId('A');
const url = 'http://127.0.0.1:9/';
const digits = (length: number): string => Array.from({ length }, () => Math.floor(Math.random() * 10)).join('');

/** A message and an answer, with all their fields. */
const messages = (ref: string): object[] => [
  { as: 'alice', text: ref, at: -3600, ref },
  {
    as: 'deploy',
    text: 'answer',
    ts: '1780302000.000100',
    thread: ref,
    reactions: { tada: ['alice'] },
    blocks: [{ type: 'divider' }],
    attachments: [{ text: 'attached' }],
  },
];

/** A seed document with every field except `from` and a manifest, and with unique fixed names. */
export const WHOLE = {
  name: 'whole',
  labels: { suite: 'documents' },
  ttl_seconds: 600,
  journal: true,
  methods: 'all',
  rate_limit_multiplier: 2,
  missing_scope_status: 403,
  urls: 'vendor',
  clock: { now: '2026-06-01T09:00:00Z', frozen: true },
  team: { name: 'Acme', id: someId('T'), domain: `d${crypto.randomUUID().slice(0, 8)}`, joinable: true },
  users: [
    {
      name: 'alice',
      id: someId('U'),
      real_name: 'Alice Doe',
      is_admin: true,
      presence: 'away',
      email: `${crypto.randomUUID()}@acme.example`,
      profile: { title: 'CTO' },
      user_token: `xoxp-${crypto.randomUUID()}`,
      api_key: `svc_api_${crypto.randomUUID()}`,
    },
  ],
  channels: [
    {
      name: 'ops',
      id: someId('C'),
      is_private: true,
      topic: 'Incidents',
      purpose: 'Only these',
      members: ['alice'],
      bookmarks: [{ title: 'Runbook', link: url, emoji: ':tada:' }],
      messages: messages('ask'),
    },
  ],
  dms: [{ members: ['alice', 'admin'], messages: messages('hi') }],
  apps: [
    {
      name: 'deploy',
      id: appId,
      scopes: { bot: ['chat:write'], user: ['chat:write'] },
      event_subscriptions: { request_url: url, events: ['message'], user_events: ['message'], verify: false },
      interactivity_url: url,
      commands: [{ command: '/deploy', url, description: 'ships', usage_hint: '[what]' }],
      bot_token: `xoxb-${crypto.randomUUID()}`,
      user_token: `xoxp-${crypto.randomUUID()}`,
      app_token: `xapp-1-${appId}-1-${crypto.randomUUID()}`,
      signing_secret: crypto.randomUUID(),
      redirect_urls: [`${url}callback`],
      distributed: true,
      token_rotation: true,
      pkce: true,
      client_id: `${digits(12)}.${digits(13)}`,
      client_secret: crypto.randomUUID().replaceAll('-', ''),
      installed: { users: ['alice'], rotating: true },
    },
  ],
  usergroups: [
    {
      name: 'On call',
      handle: 'oncall',
      description: 'who answers',
      users: ['alice'],
      channels: ['ops'],
      ref: 'oncall',
    },
  ],
  incoming_webhooks: [
    { app: 'deploy', channel: 'ops', name: 'Hook', icon_emoji: ':tada:', icon_url: `${url}icon.png`, ref: 'hook' },
  ],
  outgoing_webhooks: [{ url, events: ['message'], name: 'Out', channel: 'ops', ref: 'out' }],
  tracker: {
    guidance: 'Be brief.',
    labels: [{ name: 'Shared', id: crypto.randomUUID(), color: '#112233', description: 'of all' }],
    teams: [
      {
        links: [{ id: crypto.randomUUID(), label: 'Board', url: 'http://127.0.0.1:9/team', sort_order: 1 }],
        key: 'ENG',
        guidance: 'Write tests.',
        id: crypto.randomUUID(),
        name: 'Engineering',
        description: 'builds',
        private: false,
        labels: [{ name: 'Bug', id: crypto.randomUUID(), color: '#eb5757', description: 'wrong' }],
        states: [{ name: 'QA', id: crypto.randomUUID(), type: 'started', color: '#112233', description: 'looks' }],
        cycles: [
          {
            number: 1,
            id: crypto.randomUUID(),
            name: 'First',
            description: 'begins',
            starts_at: '2026-01-05',
            ends_at: '2026-01-19',
          },
        ],
        issues: [
          {
            title: 'Fix',
            id: crypto.randomUUID(),
            description: 'long',
            state: 'QA',
            assignee: 'alice',
            as: 'alice',
            priority: 2,
            estimate: 1.5,
            due_date: '2026-02-01',
            labels: ['Bug'],
            number: 7,
            project: 'Q1',
            cycle: 1,
            at: '2026-01-06T00:00:00Z',
            ref: 'fix',
            subscribers: ['alice'],
            archived: true,
            milestone: 'Alpha',
            delegate: 'importer',
            reactions: { tada: ['alice'] },
            attachments: [
              {
                id: crypto.randomUUID(),
                url: 'http://127.0.0.1:9/ticket',
                title: 'Ticket',
                subtitle: 'open',
                source_type: 'zendesk',
                source: { type: 'zendesk' },
                metadata: { n: 1 },
                group_by_source: true,
              },
            ],
            comments: [
              {
                as: 'alice',
                body: 'On it',
                id: crypto.randomUUID(),
                at: -60,
                resolved: 'alice',
                reactions: { tada: ['alice'] },
                replies: [
                  { as: 'alice', body: 'Done', id: crypto.randomUUID(), at: -50, reactions: { '+1': ['alice'] } },
                ],
              },
            ],
          },
          { title: 'Part', parent: 'fix', relations: [{ issue: 'fix', type: 'blocks', id: crypto.randomUUID() }] },
        ],
      },
    ],
    projects: [
      {
        name: 'Q1',
        id: crypto.randomUUID(),
        description: 'first',
        content: 'long',
        teams: ['ENG'],
        members: ['alice'],
        lead: 'alice',
        status: 'Planned',
        priority: 1,
        start_date: '2026-01-01',
        target_date: '2026-03-31',
        milestones: [
          { id: crypto.randomUUID(), name: 'Alpha', description: 'First', target_date: '2026-02-01', sort_order: 100 },
        ],
        updates: [
          { id: crypto.randomUUID(), as: 'alice', body: 'Begun', health: 'atRisk', at: '2026-01-07T00:00:00Z' },
        ],
        links: [{ id: crypto.randomUUID(), label: 'Board', url: 'http://127.0.0.1:9/board', sort_order: 1 }],
        relations: [
          {
            id: crypto.randomUUID(),
            type: 'blocks',
            project: 'Q2',
            anchor_type: 'milestone',
            related_anchor_type: 'milestone',
            milestone: 'Alpha',
            related_milestone: 'Beta',
          },
        ],
      },
      { name: 'Q2', teams: ['ENG'], milestones: [{ name: 'Beta' }] },
    ],
    webhooks: [
      {
        url,
        id: crypto.randomUUID(),
        label: 'far',
        resource_types: ['Issue'],
        team: 'ENG',
        ref: 'far',
        secret: crypto.randomUUID(),
      },
    ],
    apps: [
      {
        name: 'importer',
        redirect_uris: ['https://app.example/callback'],
        client_credentials: true,
        public: true,
        webhook_url: url,
        webhook_resource_types: ['Issue'],
        client_id: crypto.randomUUID().replaceAll('-', ''),
        client_secret: crypto.randomUUID(),
        installed: { actor: 'app', scopes: ['read', 'write', 'app:assignable'], as: 'alice' },
      },
    ],
  },
  random_seed: 7,
  verify: false,
  access_token_seconds: 3_600,
};
export const FROM_MANIFEST = { apps: [{ manifest: { display_information: { name: 'from a manifest' } } }] };
