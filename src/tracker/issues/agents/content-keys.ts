/* What activities hold, as plain data: documents are read in a thread of their own. */

/** The keys of a content besides `type`: those that it needs, and those that it may have. */
export const CONTENT_KEYS = {
  thought: { needs: ['body'], may: [] },
  action: { needs: ['action', 'parameter'], may: ['result'] },
  elicitation: { needs: ['body'], may: [] },
  response: { needs: ['body'], may: [] },
  error: { needs: ['body'], may: ['reasonCode'] },
  prompt: { needs: ['body'], may: [] },
} as const satisfies Record<string, { needs: readonly string[]; may: readonly string[] }>;

/** Types that pass, and may be shown until the next activity. */
export const PASSING: readonly string[] = ['thought', 'action'];

/** The signals of what people say. */
export const PROMPT_SIGNALS: readonly string[] = ['stop', 'continue'];
