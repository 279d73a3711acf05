/** Why nobody can consent: shown as a page, never as a redirect (docs/reference/installing.md#authorize). */
export class ConsentError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    /** A sentence for people. */
    readonly sentence?: string,
  ) {
    super(code);
  }
}

/** Why nobody can consent, where the app is to learn of it: the browser is sent back with `error` and a description. */
export class ConsentRefusal extends Error {
  constructor(
    readonly error: string,
    readonly description: string,
  ) {
    super(error);
  }
}
