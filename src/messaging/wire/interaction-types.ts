/** What an interaction may be: the `type` of its payload. */
export const INTERACTION_TYPES = [
  'block_actions',
  'block_suggestion',
  'view_submission',
  'view_closed',
  'shortcut',
  'message_action',
] as const;
