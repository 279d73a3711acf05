import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AuthTestArgs } from '../../src/messaging/auth/auth.dto.js';
import * as chat from '../../src/messaging/chat/chat.dto.js';
import * as conversations from '../../src/messaging/conversations/conversations.dto.js';
import { ERROR_CODES, statusOf, type ErrorCode } from '../../src/messaging/wire/codes.js';
import * as reactions from '../../src/messaging/reactions/reactions.dto.js';
import { errorOrder } from '../../src/messaging/rpc/args/args.js';
import { describeArgs, parseArgs } from '../../src/messaging/rpc/args/parse-args.js';
import * as search from '../../src/messaging/search/search.dto.js';
import * as users from '../../src/messaging/users/users.dto.js';

interface Contract {
  methods: Record<string, { args: Record<string, unknown>[]; errors: { code: string }[] }>;
  common_errors: { code: string; http: number }[];
}

const contract = JSON.parse(readFileSync(new URL('fixtures/messaging.json', import.meta.url), 'utf8')) as Contract;

/** Codes of the methods beyond the 27, and those that any call may answer because of its time limit. */
const FURTHER_CODES = `
insecure_request request_timeout users_not_found invalid_timestamp team_not_found bot_not_found missing_argument
missing_query query_too_long invalid_action_token context_channel_not_found missing_trigger
missing_dialog validation_errors invalid_trigger trigger_expired trigger_exchanged
unknown_type invalid_bookmark_type invalid_link invalid_emoji permission_denied too_many_bookmarks
invalid_message invalid_view
no_such_subteam missing_subteam_name name_too_long description_too_long bad_handle forbidden_handle name_already_exists
handle_already_exists invalid_channel_provided too_many_subteams already_disabled
already_enabled no_users_provided invalid_users not_archived user_not_in_channel invalid_time time_in_past time_too_far restricted_too_many
invalid_scheduled_message_id invalid_channel missing_unfurls missing_channel missing_ts missing_unfurl_id missing_source
invalid_source invalid_unfurls_format invalid_unfurl_id cannot_find_channel cannot_find_message cannot_unfurl_url
invalid_thread_ts not_pinnable already_pinned too_many_pins no_pin file_upload_size_restricted alt_txt_too_large
file_not_found file_deleted cant_delete_file channels_limit_exceeded view_too_large invalid_trigger_id expired_trigger_id
exchanged_trigger_id user_auth_url_missing invalid_metadata entity_metadata_does_not_match_trigger
function_execution_not_found execution_not_in_running_state parameter_validation_failed duplicate_external_id not_found push_limit_reached hash_conflict not_enabled
invalid_grant_type invalid_code invalid_refresh_token invalid_client_id bad_client_secret code_already_used
oauth_authorization_url_mismatch bad_redirect_uri invalid_code_verifier token_rotation_not_enabled invalid_token
authorization_not_found token_already_exchanged client_id_token_mismatch
invalid_manifest invalid_app_id app_not_found no_permission app_not_eligible too_many_apps invalid_event_context auth_mismatch
invalid_chunks invalid_status message_not_in_streaming_state message_not_owned_by_app messages_tab_disabled
missing_recipient_team_id missing_recipient_user_id msg_blocks_too_many session_not_found stopped_by_user
streaming_state_conflict thread_ts_required
`
  .trim()
  .split(/\s+/);

/** What only a message that streams can cause. */
const OF_STREAMS = ['streaming_state_conflict'];

const CLASSES: Record<string, new () => object> = {
  'chat.postMessage': chat.ChatPostMessageArgs,
  'chat.update': chat.ChatUpdateArgs,
  'chat.delete': chat.ChatDeleteArgs,
  'conversations.list': conversations.ConversationsListArgs,
  'conversations.create': conversations.ConversationsCreateArgs,
  'conversations.info': conversations.ConversationsInfoArgs,
  'conversations.history': conversations.ConversationsHistoryArgs,
  'conversations.replies': conversations.ConversationsRepliesArgs,
  'conversations.members': conversations.ConversationsMembersArgs,
  'conversations.join': conversations.ConversationsJoinArgs,
  'conversations.leave': conversations.ConversationsLeaveArgs,
  'conversations.archive': conversations.ConversationsArchiveArgs,
  'conversations.invite': conversations.ConversationsInviteArgs,
  'conversations.kick': conversations.ConversationsKickArgs,
  'conversations.rename': conversations.ConversationsRenameArgs,
  'conversations.setTopic': conversations.ConversationsSetTopicArgs,
  'conversations.setPurpose': conversations.ConversationsSetPurposeArgs,
  'conversations.open': conversations.ConversationsOpenArgs,
  'reactions.add': reactions.ReactionsAddArgs,
  'reactions.remove': reactions.ReactionsRemoveArgs,
  'users.list': users.UsersListArgs,
  'users.info': users.UsersInfoArgs,
  'users.profile.get': users.UsersProfileGetArgs,
  'users.profile.set': users.UsersProfileSetArgs,
  'users.setPresence': users.UsersSetPresenceArgs,
  'search.messages': search.SearchMessagesArgs,
  'auth.test': AuthTestArgs,
};

describe('the arguments of the 27 methods', () => {
  it('are declared for each method', () => {
    expect(Object.keys(CLASSES).sort()).toEqual(Object.keys(contract.methods).sort());
  });

  it.each(Object.entries(CLASSES))('of %s match the reference', (method, cls) => {
    expect(describeArgs(cls)).toEqual(contract.methods[method]!.args);
  });

  it.each(Object.entries(CLASSES))('of %s fail in the documented order of errors', (method, cls) => {
    const order = errorOrder(cls).filter((code) => !OF_STREAMS.includes(code));
    expect(order).toEqual(contract.methods[method]!.errors.map((error) => error.code));
  });

  it.each(Object.entries(CLASSES))('of %s cause no exception with malformed values', (_method, cls) => {
    const deep = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as unknown;
    const odd: unknown[] = [
      null,
      undefined,
      '',
      ' ',
      '\0',
      '\uD800',
      'x'.repeat(50_000),
      '😀'.repeat(20_001),
      'NaN',
      'Infinity',
      '-1',
      '1e400',
      '[',
      '{',
      '{}',
      '[]',
      '[[[[',
      '{"__proto__":1}',
      0,
      -0,
      -1,
      1.5,
      1e21,
      Number.NaN,
      Infinity,
      Number.MAX_SAFE_INTEGER + 1,
      true,
      false,
      [],
      [null],
      [[]],
      {},
      { toString: 1 },
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
      deep,
      { a: deep },
      JSON.stringify(['\0', '\uDC00']),
    ];
    const names = describeArgs(cls).flatMap((argument) => [argument.name, ...(argument.aliases ?? [])]);
    for (const value of odd) {
      for (const chosen of [names, ...names.map((name) => [name])]) {
        const raw = Object.create(null) as Record<string, unknown>;
        for (const name of chosen) raw[name] = value;
        try {
          expect(parseArgs(cls, raw)).toBeInstanceOf(cls);
        } catch (error) {
          expect(ERROR_CODES).toHaveProperty((error as { code: string }).code);
        }
      }
    }
  });
});

describe('the catalogue of error codes', () => {
  const listed = [
    ...contract.common_errors.map((error) => error.code),
    ...Object.values(contract.methods).flatMap((method) => method.errors.map((error) => error.code)),
  ];

  it('has exactly the codes of the reference and those of the further methods', () => {
    expect(Object.keys(ERROR_CODES).sort()).toEqual([...new Set([...listed, ...FURTHER_CODES])].sort());
    expect(listed.filter((code) => FURTHER_CODES.includes(code))).toEqual([]);
  });

  it('has the documented HTTP statuses', () => {
    for (const { code, http } of contract.common_errors)
      expect([code, statusOf(code as ErrorCode)]).toEqual([code, http]);
  });
});
