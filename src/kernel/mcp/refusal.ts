/** A call that the API, or a name in it, did not let pass. `message` is for the model: the code, and what to do. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
