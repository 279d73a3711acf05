/** An invalid matcher: the path of the fault, and what was expected there. */
export class MatcherError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}
