/** A named statement: prepared once per connection. Names are unique over the code base and at most 63 bytes. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const texts = new Map<string, string>();

/** Declares a statement. @throws when the name already stands for other text, or is too long for PostgreSQL */
export function statement(name: string, text: string): Statement {
  const known = texts.get(name);
  if (known !== undefined && known !== text) throw new Error(`two statements are named ${name}`);
  if (Buffer.byteLength(name) > 63) throw new Error(`the statement name ${name} is longer than 63 bytes`);
  texts.set(name, text);
  return { name, text };
}
