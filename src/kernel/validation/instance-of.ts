/* What was sent becomes an instance of the class that declares it: a REST body, a part of one, an input of GraphQL. */

type Sent = Readonly<Record<string, unknown>>;
type Class<T extends object = object> = new () => T;
type Normalizer = (value: unknown) => unknown;

interface Property {
  readonly aliases?: readonly string[];
  readonly normalizers?: readonly Normalizer[];
  readonly part?: { readonly classOf: (sent: Sent) => Class; readonly most: number };
}

/** What decorators say of a class's properties, by its prototype. */
const declared = new WeakMap<object, Map<string, Property>>();
/** The same with what is said of the classes that it extends. */
const inherited = new WeakMap<Class, ReadonlyMap<string, Property>>();

const declare =
  (more: (known: Property) => Property): PropertyDecorator =>
  (target, property) => {
    const properties = declared.get(target) ?? new Map<string, Property>();
    declared.set(target, properties.set(String(property), more(properties.get(String(property)) ?? {})));
  };

/** Other names under which a property may come. Its own name wins, unless it holds null. */
export const Alias = (...aliases: readonly string[]): PropertyDecorator => declare((known) => ({ ...known, aliases }));

/** Rewrites a property's value before it is validated. Runs for null too, never for an absent property. */
export const Normalize = (normalize: Normalizer): PropertyDecorator =>
  declare((known) => ({ ...known, normalizers: [...(known.normalizers ?? []), normalize] }));

/**
 * An object, or a list of them, that has a class of its own; which one may depend on what was sent.
 * @param most a longer list is read as null: a rule of its own refuses it, and nothing of it is read
 */
export const PartOf = (classOf: (sent: Sent) => Class, most = Infinity): PropertyDecorator =>
  declare((known) => ({ ...known, part: { classOf, most } }));

function propertiesOf(type: Class): ReadonlyMap<string, Property> {
  const known = inherited.get(type);
  if (known) return known;
  const above = Object.getPrototypeOf(type) as Class;
  const properties = new Map(above === Function.prototype ? [] : propertiesOf(above));
  for (const [name, own] of declared.get(type.prototype as object) ?? []) {
    properties.set(name, { ...properties.get(name), ...own });
  }
  inherited.set(type, properties);
  return properties;
}

interface Options {
  /** Makes an instance; default: by the constructor. */
  readonly make?: (type: Class) => object;
  /** Whether null counts as absent in what is read as this class; default: never. */
  readonly dropsNull?: (type: Class) => boolean;
}

/** What was sent as an instance of its class, and its parts of theirs; all else stays as it came. */
export function instanceOf<T extends object>(type: Class<T>, sent: Sent, options: Options = {}): T {
  const properties = propertiesOf(type);
  const instance = (options.make?.(type) ?? new type()) as Record<string, unknown>;
  const dropsNull = options.dropsNull?.(type) ?? false;
  for (const [name, value] of Object.entries(sent)) {
    // class-validator would look for the rules of another class
    if (name === 'constructor' || name === '__proto__' || (dropsNull && value === null)) continue;
    const read = readAs(value, properties.get(name), options);
    if (read !== undefined) instance[name] = read;
  }
  for (const [name, { aliases }] of properties) {
    if (!aliases || (sent[name] ?? null) !== null) continue;
    instance[name] = aliases.map((alias) => sent[alias]).find((given) => given !== undefined && given !== null);
  }
  return instance as T;
}

function readAs(value: unknown, property: Property | undefined, options: Options): unknown {
  if (!property) return value;
  const { normalizers = [], part } = property;
  const normal = normalizers.reduce((result, normalize) => normalize(result), value);
  if (!part) return normal;
  const readPart = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? instanceOf(part.classOf(one as Sent), one as Sent, options)
      : one;
  if (!Array.isArray(normal)) return readPart(normal);
  return normal.length > part.most ? null : normal.map(readPart);
}
