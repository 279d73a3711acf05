/**
 * Every error code the chat methods answer, with one line on when (docs/ERRORS.md, docs/METHODS.md). `docs/ERRORS.md`
 * is generated from this table, and the type below makes a code that is not in it a compile error.
 */
export const ERROR_CODES = {
  // Every method (docs/ERRORS.md)
  unknown_method:
    'There is no such method, or none for this caller (SVC_METHODS); the body repeats its name as `req_method`.',
  not_authed: 'The request carries no token.',
  invalid_auth: 'The token is unknown or malformed, or a JWT whose signature is wrong.',
  token_revoked: 'The token was rotated, or the session behind the JWT has ended.',
  token_expired: 'The JWT is past its `exp`, or a rotating or configuration token past its end.',
  account_inactive: "The token's user is deactivated, or its workspace is deleted.",
  missing_scope: 'The app token lacks the scope; the body adds `needed` and `provided`.',
  insecure_request: 'apps.connections.open was not called by POST.',
  not_allowed_token_type:
    'The method is not for this kind of token: app-level tokens open connections only, and strict token types may be on.',
  team_access_not_granted: 'A JWT names a `team_id` its account is no member of.',
  ratelimited: "The method's tier is exhausted; the header `Retry-After` says for how long.",
  invalid_json: 'The content type is JSON and the body does not parse.',
  json_not_object: 'The JSON body is not an object.',
  invalid_form_data: 'The urlencoded or multipart body does not parse.',
  invalid_post_type: 'The content type is none of those a method reads.',
  missing_post_type: 'There is a body but no content type.',
  invalid_charset: 'The declared charset is neither `utf-8` nor `iso-8859-1`.',
  invalid_arg_name: 'An argument name is longer than 128 characters or has one outside `[A-Za-z0-9_]`.',
  invalid_array_arg: 'An array was sent where a single value is expected.',
  invalid_arguments:
    'A required argument is missing or a value has the wrong type; `response_metadata.messages` has a line for each.',
  service_unavailable:
    'The service is overloaded, shutting down or without its store; retry after `Retry-After`. It does not tell whether a write was done: look, or post with `client_msg_id`, which makes a repeated post the same message.',
  request_timeout: 'It took too long, or waited too long for what another call holds.',
  internal_error: 'An unexpected failure.',

  // Pages
  invalid_limit: '`limit` is negative or not an integer.',
  invalid_cursor: 'The cursor is unreadable, or was issued by another method.',
  invalid_ts_latest: '`latest` is not a timestamp.',
  invalid_ts_oldest: '`oldest` is not a timestamp.',
  invalid_types: '`types` holds a word that is not a conversation type.',

  // Messages
  markdown_text_conflict: '`markdown_text` was sent together with `text` or `blocks`.',
  msg_too_long: "The text is over the method's limit.",
  invalid_blocks_format: '`blocks` is not an array, or not parseable JSON.',
  invalid_blocks: 'There are over 50 blocks, or one breaks the rules; `response_metadata.messages` says which.',
  msg_blocks_too_long: 'The serialised `blocks` are over 100,000 characters.',
  invalid_attachments: '`attachments` is not an array of objects.',
  too_many_attachments: 'There are over 100 attachments.',
  invalid_metadata_format:
    '`metadata` lacks a string `event_type` or an object `event_payload`, or `entities` are not 1 to 10 whole work objects.',
  no_text: 'The message would have no content.',
  message_not_found: 'There is no such message in the conversation.',
  thread_not_found: '`ts` is malformed or names no message.',
  cannot_reply_to_message: '`thread_ts` names a system message.',
  cant_update_message: 'The caller did not post the message, or it is a system message or tombstone.',
  cant_broadcast_message: '`reply_broadcast` on a message that is not a thread reply.',
  cant_delete_message: 'The caller may not delete this message.',

  // Conversations
  channel_not_found: 'There is no such conversation, or the caller may not see it.',
  method_not_supported_for_channel_type: 'The method does not apply to this type of conversation.',
  is_archived: 'The conversation is archived.',
  is_inactive: 'The conversation of the message to update is archived.',
  not_in_channel: 'The caller (or the user to remove) is not a member.',
  already_in_channel: 'The user to invite is already a member.',
  already_archived: 'The channel is already archived.',
  cant_archive_general: 'The general channel cannot be archived.',
  cant_leave_general: 'The general channel cannot be left.',
  cant_kick_from_general: 'Nobody can be removed from the general channel.',
  cant_kick_self: 'The caller named itself; leaving is another method.',
  cant_invite_self: 'The caller named itself.',
  cant_invite: 'The user to invite is deactivated.',
  last_member: 'The only member of a private channel or group message cannot leave it.',
  not_authorized: 'The caller is neither the creator of the channel nor a workspace admin.',
  name_taken: 'A channel of the workspace, archived and private ones included, has that name.',
  invalid_name_required: 'The channel name is empty after trimming.',
  invalid_name_maxlength: 'The channel name is over 80 characters.',
  invalid_name_specials: 'The channel name has a character that is not allowed, an upper-case letter for example.',
  invalid_name_punctuation: 'The channel name is made of `-` and `_` only.',
  invalid_name: 'The channel name is a reserved word, or the emoji name is not known.',
  too_long: 'The topic, purpose or status text is over its limit.',
  no_user: '`users` is absent or empty.',
  users_list_not_supplied: 'Neither `users` nor `channel` was sent.',
  too_many_users: '`users` names more users than the method takes.',
  user_not_found: 'There is no such user in the workspace.',
  user_disabled: 'One of the users is deactivated.',
  cannot_dm_bot: 'A bot cannot open a direct message with a bot.',

  // Reactions
  no_item_specified: '`channel` or `timestamp` is absent.',
  bad_timestamp: '`timestamp` is not a timestamp.',
  already_reacted: 'The caller already has this reaction on the message.',
  too_many_emoji: 'The message already has 50 distinct reactions.',
  too_many_reactions: 'The caller already has 23 reactions on the message.',
  no_reaction: 'The caller has no such reaction on the message.',

  // Users
  invalid_profile:
    '`profile` is no object, has over 50 keys, or a value of the wrong type; or there is nothing to change.',
  not_admin: 'Only an admin may change this.',
  must_clear_both_status_text_and_status_emoji: '`status_emoji` is empty while the status text is not.',
  email_taken: 'Another account uses the address.',
  invalid_starts_with_at: '`display_name` starts with `@`.',
  invalid_presence: '`presence` is neither `auto` nor `away`.',

  users_not_found: 'No active user of the workspace has the address.',
  invalid_timestamp: '`ts` is not a timestamp.',

  // Workspace, bots, groups
  team_not_found: 'It is not the workspace of the caller.',
  bot_not_found: 'There is no such bot in the workspace.',
  missing_argument: 'A required argument is missing.',
  no_such_subteam: 'There is no such user group.',
  missing_subteam_name: '`name` is absent or blank.',
  name_too_long: '`name` is over 255 characters.',
  description_too_long: '`description` is over 140 characters.',
  bad_handle: '`handle`, or what `name` makes of it, is not 1 to 21 of `a-z`, `0-9`, `.`, `_` and `-`.',
  forbidden_handle: '`handle` is a reserved word.',
  name_already_exists: 'Another user group has the name.',
  handle_already_exists: 'Another user group, a user or a public channel has the handle.',
  invalid_channel_provided: '`channels` names one that is no channel, or that the caller may not see.',
  too_many_subteams: 'The workspace has 1,000 user groups.',
  already_disabled: 'The user group is disabled.',
  already_enabled: 'The user group is enabled.',
  no_users_provided: '`users` is absent or empty.',
  invalid_users: '`users` names one that is no active user of the workspace.',

  // Channels beyond the core
  not_archived: 'The channel is not archived.',

  // Posts beyond the core
  user_not_in_channel: 'The user who is to see the message is not a member.',
  invalid_time: '`post_at` is not a whole number of seconds.',
  time_in_past: '`post_at` is not in the future.',
  time_too_far: '`post_at` is over 120 days away.',
  restricted_too_many: 'Over 30 messages are scheduled in that channel within 5 minutes.',
  invalid_scheduled_message_id: 'There is no such scheduled message of this app in the channel, or it was posted.',
  invalid_channel: '`channel` is no conversation id.',
  missing_unfurls: '`unfurls` is absent.',
  missing_channel: '`channel` is absent.',
  missing_ts: '`ts` is absent.',
  missing_unfurl_id: '`unfurl_id` is absent.',
  missing_source: '`source` is absent.',
  invalid_source: '`source` is neither `composer` nor `conversations_history`.',
  invalid_unfurls_format: '`unfurls` is no object of attachments by URL.',
  invalid_unfurl_id: '`unfurl_id` is none that was issued.',
  cannot_find_channel: 'There is no such conversation, or the caller may not see it.',
  cannot_find_message: 'There is no such message in the conversation.',
  cannot_unfurl_url: "The URL is not in the message, or outside the app's `unfurl_domains`.",
  invalid_thread_ts: '`thread_ts` is malformed or names no message.',

  // Streams
  invalid_chunks: '`chunks` is no list, or one of them is unacceptable; `response_metadata.messages` says which.',
  msg_blocks_too_many: 'The chunks of the stream hold over 50 blocks.',
  missing_recipient_user_id: '`recipient_user_id` is absent, and the stream is not in a direct message.',
  missing_recipient_team_id: '`recipient_team_id` is absent, and the stream is not in a direct message.',
  messages_tab_disabled: "The app's manifest turns its messages tab off.",
  message_not_owned_by_app: 'Another app or a person wrote the message.',
  stopped_by_user: 'A person stopped the stream.',
  message_not_in_streaming_state: 'The message is no stream, or the stream was stopped or has expired.',
  invalid_status: '`status` is none of processing, suspended, active and closed.',
  thread_ts_required: '`thread_ts` is absent.',
  session_not_found: 'The thread has no session of agents.',
  streaming_state_conflict: 'The message is being streamed.',

  // Pins
  not_pinnable: 'A system message or tombstone cannot be pinned.',
  already_pinned: 'The message is pinned already.',
  too_many_pins: 'The conversation has 100 pins.',
  no_pin: 'The message is not pinned.',

  // Files
  file_upload_size_restricted: 'The file is over the largest size, or the workspace has no room for it.',
  alt_txt_too_large: '`alt_txt` is over 1,000 characters.',
  file_not_found: 'There is no such file, or the caller may not see it.',
  file_deleted: 'The file was deleted.',
  unknown_type: '`types` names an unknown kind of files.',
  cant_delete_file: 'The caller neither uploaded the file nor is an admin.',
  channels_limit_exceeded: '`channels` names over 100 channels.',
  // Blocks
  invalid_message: 'Blocks of `message` break a rule; `errors` tells all.',
  invalid_view: '`view` breaks a rule; `errors` tells all.',

  // Bookmarks
  invalid_bookmark_type: '`type` is not `link`.',
  invalid_link: '`link` is no http or https URL.',
  invalid_emoji: '`emoji` is no emoji.',
  permission_denied: 'The caller is no member of the conversation.',
  too_many_bookmarks: 'The conversation has 100 bookmarks.',

  // Views
  view_too_large: 'The view is over 250,000 bytes.',
  invalid_trigger_id: '`trigger_id` is malformed, unknown, or was given to another app.',
  expired_trigger_id: '`trigger_id` is older than 3 seconds (`SVC_TRIGGER_SECONDS`).',
  exchanged_trigger_id: '`trigger_id` has opened a view already.',
  duplicate_external_id: 'Another view of the app that is open has this `external_id`.',
  not_found: 'There is no such view of the app, it is closed, or no modal is open to push on.',
  push_limit_reached: 'Three modals are open already.',
  missing_trigger: '`trigger_id` is absent.',
  missing_dialog: '`dialog` is absent.',
  validation_errors: 'The dialog breaks a rule; `response_metadata.messages` says which.',
  invalid_trigger: '`trigger_id` is malformed, unknown, or was given to another app.',
  trigger_expired: '`trigger_id` is older than 3 seconds (`SVC_TRIGGER_SECONDS`).',
  trigger_exchanged: '`trigger_id` has opened something already.',
  user_auth_url_missing: '`user_auth_required` was sent without `user_auth_url`.',
  invalid_metadata: '`metadata` is no whole work object.',
  entity_metadata_does_not_match_trigger: 'The `external_ref.id` is not that of the work object that was opened.',
  function_execution_not_found: 'There is no such execution, or it is of another app.',
  execution_not_in_running_state: 'The execution has ended.',
  parameter_validation_failed: 'A required output is missing, or one is not among the `output_parameters`.',
  hash_conflict: 'The view has changed since it had the `hash` that was sent.',
  not_enabled: "The app's manifest turns its home tab off.",

  // Installing apps
  invalid_grant_type: '`grant_type` is neither `authorization_code` nor `refresh_token`.',
  invalid_code: 'The code is absent, unknown, of another app, or older than 600 seconds.',
  invalid_refresh_token: 'The refresh token is absent, unknown, of another app, revoked, or was used a while ago.',
  invalid_client_id: 'No app has this client id.',
  bad_client_secret: "It is not the app's client secret.",
  code_already_used: 'The code was redeemed before; what it brought stays valid.',
  oauth_authorization_url_mismatch: 'The code comes from the other authorize URL: to install, or to sign in.',
  bad_redirect_uri: '`redirect_uri` is not what was sent to the authorize URL.',
  invalid_code_verifier: '`code_verifier` is absent or wrong, or the code was asked for without a challenge.',
  token_rotation_not_enabled: "The app's manifest does not turn token rotation on.",
  invalid_token: 'The token is unknown, of another app, or rotates already.',
  authorization_not_found: 'The token was revoked, or the app is not installed any more.',
  token_already_exchanged: 'The token was exchanged for a rotating one before.',
  client_id_token_mismatch: 'The token is of another app than the client id.',

  // Manifests
  invalid_manifest: 'The manifest breaks the rules; `errors` has a message and a JSON pointer for each fault.',
  invalid_app_id: "`app_id` is absent or has not the form of an app's id.",
  app_not_found: 'The workspace has no such app.',
  no_permission: "The holder of the token is neither the app's creator nor an admin of its home.",
  app_not_eligible: 'The default app of a workspace cannot be deleted.',
  invalid_event_context: '`event_context` is absent, is none of an envelope, or is older than an hour.',
  auth_mismatch: 'The event was sent to another app.',
  too_many_apps: 'The workspace has as many apps as it may have (SVC_MAX_APPS).',

  // Search
  missing_query: '`query` is absent or blank.',
  query_too_long: '`query` is over 500 characters.',
  invalid_action_token:
    '`action_token` is absent, unknown, of another app, from before a reset, or older than an hour; bot tokens need one.',
  context_channel_not_found: 'There is no such conversation as `context_channel_id`, or the caller may not see it.',
  no_query: '`query` is absent or blank, or holds no term and no modifier.',
} as const satisfies Record<string, string>;

/** A code of the catalogue above. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** HTTP status of a code; everything else is 200 (docs/reference/chat.md#order-of-checks). */
const STATUS: Partial<Record<ErrorCode, number>> = { missing_scope: 403, ratelimited: 429, service_unavailable: 503 };

/** HTTP status a code is answered with, unless a setting or the error itself says otherwise. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code] ?? 200;
}

export interface MessagingErrorOptions {
  /** Further fields of the answer's body, beside `ok` and `error`. */
  extra?: Readonly<Record<string, unknown>>;
  /** HTTP status, where it is not that of the code. */
  status?: number;
  /** Whole seconds for the header `Retry-After`, at least 1. */
  retryAfter?: number;
}

/** An expected refusal. The edge turns it into `{"ok":false,"error":code,…extra}`; it is never logged as a fault. */
export class MessagingError extends Error {
  override readonly name: string = 'MessagingError';
  readonly extra: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ErrorCode,
    options: MessagingErrorOptions = {},
  ) {
    super(code);
    this.extra = options.extra ?? {};
    this.status = options.status ?? statusOf(code);
    this.retryAfter = options.retryAfter;
  }

  /** The body of the answer. */
  body(): { ok: false; error: ErrorCode; [field: string]: unknown } {
    const own = { ok: false, error: this.code } as const;
    // named twice: they come first, and nothing replaces them
    return { ...own, ...this.extra, ...own };
  }
}
