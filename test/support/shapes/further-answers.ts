import { z } from 'zod';
import { bookmark, id, teamId, userId, channelId, ts, seconds, cursor, usergroup, warnings } from './fields.js';
import { file, allMessageFields, message, withPermalink } from './message.js';
import { user } from './user.js';
import { channelFields, everyFlavour, openIm } from './conversation.js';
import { found, ok, searchMatch } from './answers.js';

const item = z.strictObject({ type: z.literal('message'), channel: channelId, message: withPermalink });

const granted = {
  access_token: z.string().optional(),
  token_type: z.enum(['bot', 'user']).optional(),
  expires_in: z.int().optional(),
  refresh_token: z.string().optional(),
};
const team = z.strictObject({ id: teamId, name: z.string() });

const paging = z.strictObject({ count: z.int(), total: z.int(), page: z.int(), pages: z.int() });

/** What has no effect in a manifest. */
const warned = z.strictObject({ warnings: z.array(z.string()).min(1) }).optional();

/** Declared successful answers of the methods beyond the 27 (docs/METHODS.md). */
export const furtherAnswers = {
  'apps.connections.open': ok({ url: z.url() }),
  'views.open': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.publish': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.push': ok({ view: z.record(z.string(), z.unknown()) }),
  'views.update': ok({ view: z.record(z.string(), z.unknown()) }),
  'api.test': ok({ args: z.record(z.string(), z.string()).optional() }),
  'agents.sessions.rename': ok({ title: z.string() }),
  'agents.sessions.setStatus': ok({
    status: z.string(),
    agent_status: z.string(),
    title: z.string().optional(),
    ...warnings,
  }),
  'chat.appendStream': ok({ channel: channelId, ts }),
  'chat.startStream': ok({ channel: channelId, ts }),
  'chat.stopStream': ok({ channel: channelId, ts, message }),
  'assistant.search.context': ok({
    results: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
    response_metadata: z.object({ next_cursor: z.string() }),
  }),
  'assistant.threads.setStatus': ok({}),
  'assistant.threads.setSuggestedPrompts': ok({}),
  'assistant.threads.setTitle': ok({}),
  'auth.teams.list': ok({
    teams: z.array(team.extend({ icon: z.record(z.string(), z.unknown()).optional() })),
    response_metadata: cursor,
  }),
  'blocks.validate': ok({}),
  'bookmarks.add': ok({ bookmark }),
  'bookmarks.edit': ok({ bookmark }),
  'bookmarks.list': ok({ bookmarks: z.array(bookmark) }),
  'bookmarks.remove': ok({}),
  'bots.info': ok({
    bot: z.strictObject({
      id: id('B'),
      deleted: z.boolean(),
      name: z.string(),
      updated: seconds,
      app_id: id('A'),
      user_id: userId.optional(),
      icons: z.strictObject({ image_36: z.url(), image_48: z.url(), image_72: z.url() }),
    }),
  }),
  'chat.deleteScheduledMessage': ok({}),
  'chat.getPermalink': ok({ channel: channelId, permalink: z.url() }),
  'chat.meMessage': ok({ channel: channelId, ts }),
  'chat.postEphemeral': ok({ message_ts: ts, ...warnings }),
  'chat.scheduleMessage': ok({
    channel: channelId,
    scheduled_message_id: id('Q'),
    post_at: seconds,
    message: z.strictObject({ ...allMessageFields, ts: ts.optional() }),
    ...warnings,
  }),
  'chat.scheduledMessages.list': ok({
    scheduled_messages: z.array(
      z.strictObject({
        id: id('Q'),
        channel_id: channelId,
        post_at: seconds,
        date_created: seconds,
        text: z.string(),
      }),
    ),
    response_metadata: cursor,
  }),
  'apps.event.authorizations.list': ok({
    authorizations: z.array(
      z.strictObject({
        enterprise_id: z.null(),
        team_id: teamId,
        user_id: userId,
        is_bot: z.boolean(),
        is_enterprise_install: z.literal(false),
      }),
    ),
    response_metadata: cursor,
  }),
  'apps.manifest.create': ok({
    app_id: id('A'),
    credentials: z.strictObject({
      client_id: z.string(),
      client_secret: z.string(),
      verification_token: z.string(),
      signing_secret: z.string(),
    }),
    oauth_authorize_url: z.url(),
    team_id: id('T'),
    team_domain: z.string(),
    response_metadata: warned,
  }),
  'apps.manifest.delete': ok({}),
  'apps.manifest.export': ok({ manifest: z.looseObject({}) }),
  'apps.manifest.update': ok({ app_id: id('A'), permissions_updated: z.boolean(), response_metadata: warned }),
  'apps.manifest.validate': ok({ errors: z.array(z.never()), response_metadata: warned }),
  'apps.uninstall': ok({}),
  'auth.revoke': ok({ revoked: z.boolean() }),
  'chat.unfurl': ok({}),
  'conversations.close': ok({ no_op: z.literal(true).optional(), already_closed: z.literal(true).optional() }),
  'conversations.mark': ok({}),
  'conversations.unarchive': ok({}),
  'dialog.open': ok({}),
  'entity.presentDetails': ok({}),
  'functions.completeError': ok({}),
  'functions.completeSuccess': ok({}),
  'emoji.list': ok({ emoji: z.strictObject({}), cache_ts: ts, categories: z.array(z.never()).optional() }),
  'files.completeUploadExternal': ok({ files: z.array(file).min(1) }),
  'files.delete': ok({}),
  'files.list': ok({ files: z.array(file), paging }),
  'files.revokePublicURL': ok({ file }),
  'files.sharedPublicURL': ok({ file }),
  'files.getUploadURLExternal': ok({ upload_url: z.url(), file_id: id('F') }),
  'files.info': ok({
    file,
    comments: z.array(z.never()),
    paging: z.strictObject({ count: z.int(), total: z.int(), page: z.int(), pages: z.int() }),
    response_metadata: cursor,
  }),
  'oauth.v2.access': ok({
    app_id: id('A'),
    authed_user: z.strictObject({ id: userId, scope: z.string().optional(), ...granted }).optional(),
    scope: z.string().optional(),
    ...granted,
    bot_user_id: userId.optional(),
    team,
    enterprise: z.null(),
    is_enterprise_install: z.literal(false),
    incoming_webhook: z
      .strictObject({ channel: z.string(), channel_id: channelId, configuration_url: z.url(), url: z.url() })
      .optional(),
  }),
  'oauth.v2.exchange': ok({
    app_id: id('A'),
    ...granted,
    scope: z.string(),
    authed_user: z.strictObject({ id: userId }).optional(),
    bot_user_id: userId.optional(),
    team,
    enterprise: z.null(),
    is_enterprise_install: z.literal(false),
  }),
  'openid.connect.token': ok({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    id_token: z.string(),
    expires_in: z.int().optional(),
    refresh_token: z.string().optional(),
  }),
  'openid.connect.userInfo': z.looseObject({
    ok: z.literal(true),
    sub: userId,
    'https://slack.com/user_id': userId,
    'https://slack.com/team_id': teamId,
  }),
  'pins.add': ok({}),
  'pins.list': ok({
    items: z.array(z.strictObject({ ...item.shape, created: seconds, created_by: userId })),
  }),
  'pins.remove': ok({}),
  'reactions.get': ok({ type: z.literal('message'), channel: channelId, message: withPermalink }),
  'reactions.list': ok({
    items: z.array(item),
    response_metadata: cursor,
    paging: z.strictObject({ count: z.int(), total: z.int(), page: z.int(), pages: z.int() }).optional(),
  }),
  'search.all': ok({
    query: z.string(),
    messages: found(searchMatch),
    files: found(file),
    response_metadata: cursor.optional(),
  }),
  'search.files': ok({ query: z.string(), files: found(file), response_metadata: cursor.optional() }),
  'team.info': ok({
    team: z.strictObject({
      id: teamId,
      name: z.string(),
      url: z.url(),
      domain: z.string(),
      email_domain: z.literal(''),
      icon: z.record(z.string(), z.unknown()),
      avatar_base_url: z.url(),
      is_verified: z.literal(false),
    }),
  }),
  'tooling.tokens.rotate': ok({
    token: z.string(),
    refresh_token: z.string(),
    team_id: teamId,
    user_id: userId,
    iat: seconds,
    exp: seconds,
  }),
  'usergroups.create': ok({ usergroup }),
  'usergroups.disable': ok({ usergroup }),
  'usergroups.enable': ok({ usergroup }),
  'usergroups.list': ok({ usergroups: z.array(usergroup) }),
  'usergroups.update': ok({ usergroup }),
  'usergroups.users.list': ok({ users: z.array(userId) }),
  'usergroups.users.update': ok({ usergroup }),
  'users.conversations': ok({
    channels: z.array(z.union([z.strictObject({ ...channelFields, ...everyFlavour }), openIm])),
    response_metadata: cursor,
  }),
  'users.getPresence': ok({
    presence: z.enum(['active', 'away']),
    online: z.boolean().optional(),
    auto_away: z.literal(false).optional(),
    manual_away: z.boolean().optional(),
    connection_count: z.int().min(0).optional(),
    last_activity: seconds.optional(),
  }),
  'users.lookupByEmail': ok({ user }),
} as const;
