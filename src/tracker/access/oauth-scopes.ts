/** What an application may ask for (docs/reference/tracker-oauth.md#scopes). */
export const OAUTH_SCOPES = [
  'read',
  'write',
  'issues:create',
  'comments:create',
  'timeSchedule:write',
  'admin',
  'app:assignable',
  'app:mentionable',
] as const;

const KNOWN: ReadonlySet<string> = new Set(OAUTH_SCOPES);

/** What holds a scope by holding another one. */
const INCLUDED_IN: Readonly<Record<string, readonly string[]>> = {
  read: OAUTH_SCOPES,
  write: ['admin'],
  'issues:create': ['write', 'admin'],
  'comments:create': ['write', 'admin'],
};

/** Whether these scopes allow what needs one of `wanted`. */
export const allowsOne = (held: readonly string[], wanted: readonly string[]): boolean =>
  wanted.some((scope) => held.includes(scope) || (INCLUDED_IN[scope] ?? []).some((other) => held.includes(other)));

/** A list by commas or blanks: sorted, each once, `read` always among them. */
export const scopeList = (text: string | undefined): string[] =>
  [...new Set(['read', ...(text ?? '').split(/[\s,]+/).filter((scope) => scope !== '')])].sort();

/** The first scope that nobody can grant to this actor; undefined when all can be granted. */
export const unfitScope = (scopes: readonly string[], actor: 'user' | 'app'): string | undefined =>
  scopes.find((scope) => !KNOWN.has(scope) || (actor === 'app' ? scope === 'admin' : scope.startsWith('app:')));
