/** Leaves out undefined values, nulls that mean nothing, and empty lists. */
export const said = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  );

/** A unique name among its kind: with the first free number appended. */
export function uniqueName(name: string, taken: Set<string>, max: number): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name.slice(0, max - 1 - String(number).length)} ${number}`;
  taken.add(free);
  return free;
}

/** Names in a document of a workspace's people, bots, apps, channels and user groups, by their ids. */
export interface ExportNames {
  /** People and bots. */
  readonly users: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
  /** Handles. */
  readonly usergroups: ReadonlyMap<string, string>;
}

/** Replaces ids in a text by the names of a document. */
export const withNames = (text: string, { users, channels, usergroups }: ExportNames): string =>
  text.includes('<')
    ? text
        .replace(/<@(U0[0-9A-Z]{9})(?:\|[^>]*)?>/g, (whole, id: string) => {
          const name = users.get(id);
          return name === undefined || !/^[a-z0-9][a-z0-9._-]*$/.test(name) ? whole : `<@${name}>`;
        })
        .replace(/<#([CG]0[0-9A-Z]{9})(?:\|[^>]*)?>/g, (whole, id: string) => {
          const name = channels.get(id);
          return name === undefined ? whole : `<#${name}>`;
        })
        .replace(/<!subteam\^(S0[0-9A-Z]{9})(?:\|[^>]*)?>/g, (whole, id: string) => {
          const handle = usergroups.get(id);
          return handle === undefined ? whole : `<!subteam^${handle}>`;
        })
    : text;

/** The same in all texts of blocks or attachments, with bare ids (`user_id`) as `<@name>`. */
export function withNamesDeep(value: unknown, names: ExportNames, key?: string): unknown {
  if (typeof value === 'string') {
    if (key === 'user_id') return withNames(`<@${value}>`, names).replace(/^<@(U0[0-9A-Z]{9})>$/, '$1');
    if (key === 'channel_id') return withNames(`<#${value}>`, names).replace(/^<#([CG]0[0-9A-Z]{9})>$/, '$1');
    if (key === 'usergroup_id')
      return withNames(`<!subteam^${value}>`, names).replace(/^<!subteam\^(S0[0-9A-Z]{9})>$/, '$1');
    return withNames(value, names);
  }
  if (Array.isArray(value)) return value.map((one) => withNamesDeep(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withNamesDeep(child, names, name)]));
}

/** The ref in a document of a message, an issue or a webhook. */
export class ExportRefs {
  private readonly byThing = new Map<string, string>();
  private readonly taken = new Set<string>();

  constructor(refs: readonly { readonly ref: string; readonly thing: Readonly<Record<string, unknown>> }[]) {
    for (const { ref, thing } of refs) {
      this.taken.add(ref);
      const key = 'ts' in thing ? `${String(thing['channel'])}/${String(thing['ts'])}` : String(thing['id']);
      if (!this.byThing.has(key)) this.byThing.set(key, ref);
    }
  }

  /** The ref from the original document. */
  of(key: string): string | undefined {
    return this.byThing.get(key);
  }

  /** The same, or a generated one because something refers to the object. */
  ensure(key: string, wanted: string): string {
    const known = this.byThing.get(key);
    if (known !== undefined) return known;
    const made = uniqueName(wanted, this.taken, 255);
    this.byThing.set(key, made);
    return made;
  }
}
