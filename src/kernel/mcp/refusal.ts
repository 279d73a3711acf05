/**
 * A call that the API refused, or a name that could not be resolved. `message` is for the model: the code, and what to
 * do.
 */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
