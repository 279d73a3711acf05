/** One row of the table in docs/SETTINGS.md. `parse` throws an Error whose message completes "NAME …". */
export interface Setting<T> {
  readonly env: string;
  /** As the table shows it; `undefined` = no default. */
  readonly default?: string;
  readonly meaning: string;
  readonly parse: (value: string | undefined) => T;
  /** Never printed. */
  readonly secret?: boolean;
}

export const setting = <T>(
  env: string,
  fallback: string | undefined,
  meaning: string,
  parse: (value: string) => T,
  secret = false,
): Setting<T> => ({ env, default: fallback, meaning, secret, parse: (value) => parse(value ?? (fallback as string)) });

export const optional = <T>(
  env: string,
  meaning: string,
  parse: (value: string) => T,
  secret = false,
): Setting<T | undefined> => ({
  env,
  meaning,
  secret,
  parse: (value) => (value === undefined ? undefined : parse(value)),
});

export const text = (value: string): string => value;
export const matching =
  (pattern: RegExp, what: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be ${what}`);
    return value;
  };
export const integer =
  (min: number, max: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
    }
    return number;
  };
export const positive = (value: string): number => {
  const number = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value)) throw new Error(`must be a number of 0 or more, not "${value}"`);
  return number;
};
export const boolean = (value: string): boolean => {
  if (value !== 'true' && value !== 'false') throw new Error(`must be true or false, not "${value}"`);
  return value === 'true';
};
export const oneOf =
  <const T extends string>(...values: T[]) =>
  (value: string): T => {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return value as T;
  };
export const delays = (value: string): number[] => {
  if (value === '') return [];
  const list = value.split(',').map((part) => part.trim());
  if (list.length > 20 || !list.every((part) => /^\d{1,7}(\.\d+)?$/.test(part))) {
    throw new Error(`must be seconds separated by commas, not "${value}"`);
  }
  return list.map(Number);
};
export const httpUrl = (value: string): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new Error(`must be an http or https URL, not "${value}"`);
  }
  return value.replace(/\/+$/, '');
};
export const postgresUrl = (value: string): string => {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) {
    throw new Error('must look like postgres://user:password@host:5432/database');
  }
  return value;
};
