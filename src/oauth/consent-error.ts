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
