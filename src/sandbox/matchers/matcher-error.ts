/** A matcher that cannot be read: where in it, and what was expected there. */
export class MatcherError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}
