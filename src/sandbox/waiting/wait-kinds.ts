/** What can be waited for (docs/reference/sandboxes.md#waiting), by the route and by the command. */
export const WAITS = [
  'call',
  'event',
  'delivery',
  'received',
  'install',
  'script',
  'message',
  'ephemeral',
  'issue',
  'quiet',
  'idle',
] as const;
export type WaitFor = (typeof WAITS)[number];
