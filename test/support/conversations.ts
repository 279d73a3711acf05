import { expect } from 'vitest';
import type { ConversationType } from '../../src/messaging/store/conversation.entity.js';
import type { TestApp } from './app.js';
import type { ChatClient } from './chat-client.js';
import { unique, type WorkspaceBuilder } from './workspace.js';

/** Matches an integer number of seconds around now. */
export const recentSeconds = expect.toSatisfy(
  (value: number) => Number.isInteger(value) && Math.abs(value - Date.now() / 1000) < 120,
);
/** Matches an integer number of milliseconds around now. */
export const recentMs = expect.toSatisfy(
  (value: number) => Number.isInteger(value) && Math.abs(value - Date.now()) < 120_000,
);
export const wireTs: unknown = expect.stringMatching(/^\d{10}\.\d{6}$/);

const emptyLabel = { value: '', creator: '', last_set: 0 };

/** A channel as conversations.info shows it to a member (docs/reference/chat.md#conversations), with every field. */
export function channelInfo(
  ws: WorkspaceBuilder,
  channel: { id: string; name: string },
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const shape: Record<string, unknown> = {
    id: channel.id,
    name: channel.name,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_mpim: false,
    is_private: false,
    created: recentSeconds,
    is_archived: false,
    is_general: false,
    unlinked: 0,
    name_normalized: channel.name,
    is_shared: false,
    is_frozen: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    context_team_id: ws.id,
    updated: recentMs,
    parent_conversation: null,
    creator: ws.admin.id,
    is_ext_shared: false,
    shared_team_ids: [ws.id],
    pending_connected_team_ids: [],
    is_member: true,
    last_read: '0000000000.000000',
    topic: emptyLabel,
    purpose: emptyLabel,
    previous_names: [],
    ...changes,
  };
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined));
}

/** The same channel as an item of conversations.list. */
export const channelItem = (
  ws: WorkspaceBuilder,
  channel: { id: string; name: string },
  changes: Record<string, unknown> = {},
): Record<string, unknown> =>
  channelInfo(ws, channel, {
    is_frozen: undefined,
    parent_conversation: undefined,
    last_read: undefined,
    num_members: 1,
    ...changes,
  });

/** An im as an item of conversations.list. */
export const imItem = (
  ws: WorkspaceBuilder,
  im: { id: string; user: string },
  changes: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: im.id,
  created: recentSeconds,
  is_archived: false,
  is_im: true,
  is_org_shared: false,
  context_team_id: ws.id,
  updated: recentMs,
  user: im.user,
  is_user_deleted: false,
  priority: 0,
  ...changes,
});

/** The same im as conversations.info shows it. */
export const imInfo = (
  ws: WorkspaceBuilder,
  im: { id: string; user: string },
  changes: Record<string, unknown> = {},
): Record<string, unknown> =>
  imItem(ws, im, {
    is_open: true,
    last_read: '0000000000.000000',
    latest: null,
    unread_count: 0,
    unread_count_display: 0,
    ...changes,
  });

/** A group message as conversations.info shows it. */
export const mpimInfo = (
  ws: WorkspaceBuilder,
  mpim: { id: string; creator: string; names: readonly string[] },
  changes: Record<string, unknown> = {},
): Record<string, unknown> => {
  const names = [...mpim.names].sort();
  return channelInfo(
    ws,
    { id: mpim.id, name: `mpdm-${names.join('--')}-1` },
    {
      is_channel: false,
      is_group: true,
      is_mpim: true,
      is_private: true,
      is_open: true,
      creator: mpim.creator,
      topic: { value: 'Group messaging', creator: '', last_set: 0 },
      purpose: {
        value: `Group messaging with: ${names.map((name) => `@${name}`).join(' ')}`,
        creator: '',
        last_set: 0,
      },
      ...changes,
    },
  );
};

/**
 * Expects the same answer for conversations that do not exist, belong to another workspace, or do not include the
 * caller (docs/reference/chat.md#resolving-a-conversation).
 */
export async function expectHidden(
  app: TestApp,
  ws: WorkspaceBuilder,
  client: ChatClient,
  method: string,
  args: Record<string, unknown> = {},
): Promise<void> {
  const other = await app.workspace();
  const ids = {
    unknown: 'C0NOSUCHCH1',
    malformed: 'general',
    'with a hash': `#${ws.general.id}`,
    'of another workspace': other.general.id,
    private: (await ws.channel({ isPrivate: true })).id,
    im: (await ws.direct(await ws.user(), await ws.user())).id,
    mpim: (await ws.direct(await ws.user(), await ws.user(), await ws.user())).id,
  };
  for (const [what, channel] of Object.entries(ids)) {
    expect([what, await client.call(method, { ...args, channel })]).toEqual([
      what,
      { ok: false, error: 'channel_not_found' },
    ]);
  }
}

/**
 * Expects that each accepted scope alone permits the conversations of its type
 * (docs/reference/chat.md#order-of-checks
 * step 8); without one, the answer is 403 with the scopes of the type, and without any, those of the method.
 */
export async function expectScopes(
  ws: WorkspaceBuilder,
  kind: 'bot' | 'user',
  method: string,
  rule: Partial<Record<ConversationType, readonly string[]>>,
  argsFor: (
    conversation: { id: string },
    client: ChatClient,
  ) => Record<string, unknown> | Promise<Record<string, unknown>> = (conversation) => ({ channel: conversation.id }),
): Promise<void> {
  const client = (scopes: readonly string[]): Promise<ChatClient> =>
    kind === 'bot' ? ws.bot({ scopes }) : ws.userClient({ scopes });
  const all = [...new Set(Object.values(rule).flat())];

  for (const [type, accepted] of Object.entries(rule) as [ConversationType, readonly string[]][]) {
    for (const scope of accepted) {
      const able = await client([scope]);
      const answer = await able.wire(method, await argsFor(await ws.conversation(type, able), able));
      expect([type, scope, answer.status, answer.body]).toEqual([
        type,
        scope,
        200,
        expect.objectContaining({ ok: true }),
      ]);
      expect(answer.headers.get('x-oauth-scopes')).toBe(scope);
    }
    const others = all.filter((scope) => !accepted.includes(scope));
    if (others.length === 0) continue;
    const unable = await client(others);
    const refused = await unable.wire(method, await argsFor(await ws.conversation(type, unable), unable));
    expect([type, refused.status, refused.body]).toEqual([
      type,
      403,
      { ok: false, error: 'missing_scope', needed: accepted.join(','), provided: others.join(',') },
    ]);
  }

  const outsider = await client(['users:read']);
  const refused = await outsider.wire(method, { channel: ws.general.id });
  expect(refused.status).toBe(403);
  expect(refused.body).toEqual({ ok: false, error: 'missing_scope', needed: all.join(','), provided: 'users:read' });
}

/** Expects method_not_supported_for_channel_type for these types, also when the caller is a member. */
export async function expectUnsupported(
  ws: WorkspaceBuilder,
  client: ChatClient,
  method: string,
  types: readonly ConversationType[],
  args: Record<string, unknown> = {},
): Promise<void> {
  for (const type of types) {
    const conversation = await ws.conversation(type, client);
    expect([type, await client.call(method, { ...args, channel: conversation.id })]).toEqual([
      type,
      { ok: false, error: 'method_not_supported_for_channel_type' },
    ]);
  }
}

/** The answer when required arguments are missing. */
export const missing = (...names: readonly string[]): Record<string, unknown> => ({
  ok: false,
  error: 'invalid_arguments',
  response_metadata: { messages: names.map((name) => `[ERROR] missing required field: ${name}`) },
});

/** The kinds (with subtype) of all events recorded in the workspace, oldest first. */
export const recordedKinds = async (ws: WorkspaceBuilder): Promise<string[]> =>
  (await ws.recorded()).map((event) =>
    typeof event['subtype'] === 'string' ? `${String(event['type'])}/${event['subtype']}` : String(event['type']),
  );

export { unique };
