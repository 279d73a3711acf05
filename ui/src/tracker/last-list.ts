/** The search of the list that was last looked at, and the issue that was opened from it: Escape leads back there. */
export const lastList: { search: string; issue: string | null } = { search: '', issue: null };
