/** JSON text made by the database, passed through unparsed. */
export class WireText {
  constructor(readonly json: string) {}

  /** For serialisers that do not know the class: correct, but slower. */
  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

/** An object whose direct members may be WireText, as one. */
export const wireObject = (fields: Readonly<Record<string, unknown>>): WireText =>
  new WireText(`{${stringifyFields(fields).slice(1)}}`);

/** `JSON.stringify` for an object whose direct members may be WireText. Undefined members are left out. */
export function stringifyFields(fields: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const key in fields) {
    const value = fields[key];
    const json = value instanceof WireText ? value.json : JSON.stringify(value);
    if (json !== undefined) text += `,${JSON.stringify(key)}:${json}`;
  }
  return text;
}
