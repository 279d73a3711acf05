/**
 * What a write leaves as it was, of what the process remembers (docs/decisions/remembered-callers.md): who callers are and
 * what they may, and how the users of a workspace are shown; or everything.
 */
export type Keeps = 'callers' | 'everything';

/** A named statement: prepared once per connection. Names are unique in the code base and at most 63 bytes. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly secrets?: SecretParts | undefined;
  /**
   * All of its columns are `text` and may be long: requested in binary format, which saves the server two passes over
   * them.
   */
  readonly answersTexts?: boolean | undefined;
  /** What it cannot change. */
  readonly keeps?: Keeps | undefined;
}

/**
 * The parts of a statement that hold secrets, which the store keeps encrypted
 * (docs/reference/safety.md#secrets-at-rest).
 */
export interface SecretParts {
  /** Numbers of its parameters. */
  readonly seals?: readonly number[];
  /** Names of its result columns. */
  readonly opens?: readonly string[];
}

const texts = new Map<string, string>();

/**
 * Declares a statement.
 * @throws when the name is used for another text, or is too long for PostgreSQL
 */
export function statement(
  name: string,
  text: string,
  { answersTexts, keeps, ...secrets }: SecretParts & { readonly answersTexts?: boolean; readonly keeps?: Keeps } = {},
): Statement {
  const known = texts.get(name);
  if (known !== undefined && known !== text) throw new Error(`two statements are named ${name}`);
  if (Buffer.byteLength(name) > 63) throw new Error(`the statement name ${name} is longer than 63 bytes`);
  texts.set(name, text);
  return { name, text, secrets: Object.keys(secrets).length > 0 ? secrets : undefined, answersTexts, keeps };
}

/**
 * The elements of array parameters, with their places, for the batches of a hot statement. The planner takes an array
 * of unknown length for ten elements, and so made a new plan for each call, as one that knows the array looks a tenth as
 * dear; behind this limit it takes any array for one element (docs/decisions/measured.md#the-database).
 * @param arrays of the same length, e.g. `$1::text[]`
 */
export const eachOf = (...arrays: readonly string[]): string =>
  `(SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY LIMIT cardinality(${arrays[0]}))`;

/**
 * Statements built at run time, one per shape. The first `most` shapes are prepared on each connection; later ones have
 * no name, so that the memory of the process and the store is bounded.
 */
export class StatementShapes {
  private readonly known = new Map<string, Statement>();

  constructor(
    private readonly prefix: string,
    private readonly most = 64,
  ) {}

  /** The statement of a shape; an empty `name` means that it is not prepared. */
  of(shape: string, text: () => string): Statement {
    const known = this.known.get(shape);
    if (known) return known;
    if (this.known.size >= this.most) return { name: '', text: text() };
    const made = statement(`${this.prefix}_${this.known.size}`, text());
    this.known.set(shape, made);
    return made;
  }
}
