export const REDACTED = '[redacted]';

/** Fields whose value is always a secret. Not signatures, `trigger_id`, `response_url`: they expire by themselves. */
const SECRET_FIELD =
  /^(password|secret|.*_secret|.*secret|token|.*_token|.*token|api_?key|authorization|cookie|set-cookie|x-.*-token|ticket|upload_url|credentials?_value)$/i;
const PUBLIC_FIELD = /^(.*_?cursor|page_?token|tokens)$/i;

/** Patterns of secrets, anywhere in a text. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bxox[a-z]-[A-Za-z0-9-]{6,}/g, REDACTED],
  [/\bx(?:app|wfp)-[A-Za-z0-9-]{6,}/g, REDACTED],
  [/\blin_oauth_[0-9a-f]{16,}/g, REDACTED],
  // codes of installations
  [/\b[0-9]{12}\.[0-9]{13}\.[0-9a-f]{64}\b/g, REDACTED],
  // and the redirects that bring them
  [/([?&]code=)[^&"\s]+(&state=)[^&"\s]+/g, `$1${REDACTED}$2${REDACTED}`],
  [/\bsvc_(?:api|rel|sbx|rt|refresh|sub|wh)[A-Za-z0-9_]*_[A-Za-z0-9]{16,}/g, REDACTED],
  [/\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, REDACTED],
  [/(\/webhooks\/incoming\/B[A-Z0-9]+\/)[A-Za-z0-9]{16,}/g, `$1${REDACTED}`],
  [/(\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/)[A-Za-z0-9]{16,}/g, `$1${REDACTED}`],
  [/(\/(?:actions|commands)\/T[A-Z0-9]+\/[0-9]+\/)[A-Za-z0-9]{32}/g, `$1${REDACTED}`],
  [/(\/in\/)[A-Za-z0-9]{32}/g, `$1${REDACTED}`],
  [/(\/mcp\/)[A-Za-z0-9]{40}/g, `$1${REDACTED}`],
  [/(\/link\/?\?[^"\s]*?\bticket=)[^&"\s]+/g, `$1${REDACTED}`],
  [/(\/upload\/v1\/)[A-Za-z0-9_-]{16,}/g, `$1${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/gi, `$1${REDACTED}`],
  [/(\/#key=)[A-Za-z0-9_-]{20,}/g, `$1${REDACTED}`],
];

/** A field written as GraphQL or JavaScript has it, and one in the query of a URL. */
const WRITTEN_FIELD = /\b([A-Za-z_]\w*)(\s*:\s*)("{3}[^]*?"{3}|"(?:[^"\\]|\\.)*")/g;
const QUERY_FIELD = /([?&;])([A-Za-z_][\w.-]*)=([^&;#\s"'<>|]+)/g;
/** Names that keys have in URLs beside those of secret fields. */
const SECRET_IN_QUERY =
  /^(?:key|sig|signature|pass|pwd|passwd|auth|(?:access|api|auth|private|shared|app|client)[_.-]?key)$/i;

/** Quick test: most texts contain none of these and need no closer look. */
const SUSPICIOUS =
  /[?&]code=|xox[a-z]-|xapp-|xwfp-|lin_oauth_|\d\.[0-9a-f]{64}|svc_|eyJ|secret|token|password|ticket|upload|authorization|cookie|api_?key|\/incoming\/|\/services\/|\/in\/|\/mcp\/|key=|pass|pwd=|sig=|signature=|auth=|:\/\/[^\s/@"]*:[^\s/@"]*@/i;

/** Whether JSON or any other text may hold a secret. */
export const mayHoldSecrets = (text: string): boolean => SUSPICIOUS.test(text);

/** A text with everything removed that looks like a secret. */
export function redactText(text: string): string {
  if (!mayHoldSecrets(text)) return text;
  let redacted = text;
  for (const [pattern, by] of SECRETS) redacted = redacted.replace(pattern, by);
  return redacted
    .replace(WRITTEN_FIELD, (whole, name: string, between: string, value: string) =>
      isSecretField(name) && value.length > 2 ? `${name}${between}"${REDACTED}"` : whole,
    )
    .replace(QUERY_FIELD, (whole, sign: string, name: string) =>
      isSecretField(name) || SECRET_IN_QUERY.test(name) ? `${sign}${name}=${REDACTED}` : whole,
    );
}

/** A JSON value without secrets, by field names and by patterns. */
export function redact(value: unknown, field = ''): unknown {
  if (typeof value === 'string') {
    if (value !== '' && isSecretField(field)) return REDACTED;
    return redactText(value);
  }
  if (Array.isArray(value)) return value.map((item) => redact(item, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner, key)]));
}

/** Fields of a form or a query, one by one. */
export function redactFields(fields: URLSearchParams): Record<string, unknown> {
  return redact(Object.fromEntries(fields)) as Record<string, unknown>;
}

const isSecretField = (field: string): boolean => SECRET_FIELD.test(field) && !PUBLIC_FIELD.test(field);

/** Headers for display: without credentials, each name once. */
export function redactHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || value === null) continue;
    const text = Array.isArray(value) ? value.join(', ') : String(value);
    shown[name] = isSecretField(name) ? REDACTED : redactText(text);
  }
  return shown;
}
