/** A reaction as far as `reactionData` shows it. */
export interface ShownReaction {
  readonly id: string;
  readonly emoji: string;
  readonly userId: string | null;
  readonly createdAt: Date | string;
}

/** `reactionData`: by emoji, in the order of their first use (docs/reference/tracker.md#reaction). */
export function reactionDataOf(reactions: readonly ShownReaction[]): object[] {
  const byEmoji = new Map<string, object[]>();
  for (const { id, emoji, userId, createdAt } of reactions) {
    const own = byEmoji.get(emoji) ?? [];
    byEmoji.set(emoji, [...own, { id, userId, reactedAt: new Date(createdAt).toISOString() }]);
  }
  return [...byEmoji].map(([emoji, own]) => ({ emoji, reactions: own }));
}
