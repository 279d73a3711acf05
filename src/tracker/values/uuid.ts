const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The text of a UUID, in either case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
