/** A message about to be stored. */
export interface Draft {
  /** Null on a `bot_message`. */
  readonly userId: string | null;
  readonly botId: string | null;
  readonly subtype: string | null;
  readonly text: string;
  /** From `openWire`, with blanks for its ts. */
  readonly open: string;
  /** JSON text. */
  readonly metadata: string | null;
  /** No `link_shared` event is sent for its links (`unfurl_links: false`). */
  readonly hidesLinks?: boolean | undefined;
  /** Apps are told of its mentions and links when it is complete. */
  readonly isUnfinished?: boolean | undefined;
}
