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

/** The members of an object of which direct ones may be WireText, each behind a comma. Undefined members are left out. */
export function stringifyFields(fields: Readonly<Record<string, unknown>>): string {
  if (!hasWireText(fields)) {
    const json = JSON.stringify(fields);
    return json === '{}' ? '' : `,${json.slice(1, -1)}`;
  }
  let text = '';
  for (const key in fields) {
    const value = fields[key];
    const json = value instanceof WireText ? value.json : JSON.stringify(value);
    if (json !== undefined) text += `,${JSON.stringify(key)}:${json}`;
  }
  return text;
}

function hasWireText(fields: Readonly<Record<string, unknown>>): boolean {
  for (const key in fields) if (fields[key] instanceof WireText) return true;
  return false;
}
