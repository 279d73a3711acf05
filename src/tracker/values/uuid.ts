const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The text of a UUID, in either case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** A UUID of its 32 digits. */
export const uuidOfHex = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
