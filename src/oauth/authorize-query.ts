/** What authorize URLs take; apps and proxies add others, which mean nothing. */
const NAMES = new Set(
  (
    'client_id scope user_scope redirect_uri state team code_challenge code_challenge_method response_type nonce ' +
    'prompt actor organization'
  ).split(' '),
);

/** The arguments of an authorize URL. */
export class AuthorizeQuery {
  private constructor(
    private readonly values: ReadonlyMap<string, string>,
    /** One that means something was sent twice. */
    readonly hasRepeated: boolean,
  ) {}

  static read(url: string): AuthorizeQuery {
    const start = url.indexOf('?');
    const values = new Map<string, string>();
    let hasRepeated = false;
    for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
      if (values.has(name)) hasRepeated ||= NAMES.has(name);
      else values.set(name, value.replaceAll('\0', '\ufffd'));
    }
    return new AuthorizeQuery(values, hasRepeated);
  }

  /** Arguments that did not come by a URL. */
  static of(values: Readonly<Record<string, string | null | undefined>>): AuthorizeQuery {
    const sent = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return AuthorizeQuery.read(`?${new URLSearchParams(sent).toString()}`);
  }

  /** Empty is absent. */
  get(name: string): string | undefined {
    const value = this.values.get(name);
    return value === '' ? undefined : value;
  }

  /** What may be recorded of it. */
  shown(): Record<string, string> {
    const secret = new Set(['state', 'code_challenge', 'nonce']);
    return Object.fromEntries([...this.values].map(([name, value]) => [name, secret.has(name) ? '[redacted]' : value]));
  }
}
