import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WORDS } from '../../ui/src/api/error-words.js';
import { ApiError, wordsFor } from '../../ui/src/api/errors.js';

const ERRORS = readFileSync(new URL('../../docs/ERRORS.md', import.meta.url), 'utf8');

/** Codes that no screen can cause: of scheduling, unfurling, user groups, opening views, and malformed requests. */
const NOT_ON_ANY_SCREEN = new Set([
  'insecure_request',
  'invalid_form_data',
  'invalid_post_type',
  'missing_post_type',
  'invalid_charset',
  'invalid_arg_name',
  'bot_not_found',
  'invalid_message',
  'invalid_view',
  'missing_query',
  'query_too_long',
  'invalid_action_token',
  'context_channel_not_found',
  'missing_trigger',
  'missing_dialog',
  'validation_errors',
  'invalid_trigger',
  'trigger_expired',
  'trigger_exchanged',
  'user_auth_url_missing',
  'invalid_metadata',
  'entity_metadata_does_not_match_trigger',
  'function_execution_not_found',
  'execution_not_in_running_state',
  'parameter_validation_failed',
  'no_such_subteam',
  'unknown_type',
  'invalid_bookmark_type',
  'invalid_emoji',
  'permission_denied',
  'too_many_bookmarks',
  'missing_subteam_name',
  'name_too_long',
  'description_too_long',
  'bad_handle',
  'forbidden_handle',
  'name_already_exists',
  'handle_already_exists',
  'invalid_channel_provided',
  'too_many_subteams',
  'already_disabled',
  'already_enabled',
  'no_users_provided',
  'invalid_users',
  'user_not_in_channel',
  'invalid_time',
  'time_in_past',
  'time_too_far',
  'restricted_too_many',
  'invalid_scheduled_message_id',
  'missing_unfurls',
  'missing_ts',
  'missing_unfurl_id',
  'missing_source',
  'invalid_source',
  'invalid_unfurls_format',
  'invalid_unfurl_id',
  'cannot_find_channel',
  'cannot_find_message',
  'cannot_unfurl_url',
  'cant_delete_file',
  'view_too_large',
  'invalid_trigger_id',
  'exchanged_trigger_id',
  'duplicate_external_id',
  'push_limit_reached',
  'hash_conflict',
  // apps alone stream
  'invalid_chunks',
  'msg_blocks_too_many',
  'missing_recipient_user_id',
  'missing_recipient_team_id',
  'messages_tab_disabled',
  'message_not_owned_by_app',
  'stopped_by_user',
  'message_not_in_streaming_state',
  'streaming_state_conflict',
  'invalid_status',
  'thread_ts_required',
  // apps call the methods of installing, screens do not
  'authorization_not_found',
  'bad_client_secret',
  'client_id_token_mismatch',
  'code_already_used',
  'invalid_client_id',
  'invalid_code',
  'invalid_code_verifier',
  'invalid_grant_type',
  'invalid_refresh_token',
  'invalid_token',
  'oauth_authorization_url_mismatch',
  'token_already_exchanged',
  'token_rotation_not_enabled',
  // and those of manifests and of events
  'auth_mismatch',
  'invalid_event_context',
  'app_not_eligible',
  'invalid_app_id',
  'invalid_manifest',
  'no_permission',
  'too_many_apps',
]);

const codes = [...(ERRORS.split('## GraphQL')[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code as string);

describe('error messages', () => {
  it('exist for every code that a method used by the screens can answer', () => {
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => !NOT_ON_ANY_SCREEN.has(code) && WORDS[code] === undefined)).toEqual([]);
  });

  it('leave out only existing codes, and none that has a message', () => {
    expect([...NOT_ON_ANY_SCREEN].filter((code) => !codes.includes(code) || WORDS[code] !== undefined)).toEqual([]);
  });

  it("include the server's details, and an unknown code unchanged", () => {
    expect(
      wordsFor(new ApiError('invalid_blocks', 200, ['invalid_blocks', '[ERROR] missing required field: text'])),
    ).toBe('A block breaks the rules: [ERROR] missing required field: text');
    expect(wordsFor(new ApiError('ratelimited', 429, [], 3))).toBe(
      'Too many calls at once. Try again in a moment. Again in 3 s.',
    );
    expect(wordsFor(new ApiError('something_new', 200))).toBe('something new');
  });
});
