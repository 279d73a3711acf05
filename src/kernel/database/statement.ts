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
  /** It cannot change who a caller is or what they may: what the process remembers of callers stays true. */
  readonly keepsCallers?: boolean | undefined;
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
  {
    answersTexts,
    keepsCallers,
    ...secrets
  }: SecretParts & { readonly answersTexts?: boolean; readonly keepsCallers?: boolean } = {},
): Statement {
  const known = texts.get(name);
  if (known !== undefined && known !== text) throw new Error(`two statements are named ${name}`);
  if (Buffer.byteLength(name) > 63) throw new Error(`the statement name ${name} is longer than 63 bytes`);
  texts.set(name, text);
  return { name, text, secrets: Object.keys(secrets).length > 0 ? secrets : undefined, answersTexts, keepsCallers };
}

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
