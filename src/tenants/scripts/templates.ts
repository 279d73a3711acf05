const TEMPLATE = /\{\{\s*([A-Za-z0-9_.-]{1,200})\s*\}\}/g;

/** A value in whose texts `{{path}}` stands for what is at that path of `subject`: nothing where nothing is. */
export function filledIn(value: unknown, subject: unknown): unknown {
  if (typeof value === 'string') return value.replace(TEMPLATE, (_, path: string) => textOf(at(subject, path)));
  if (Array.isArray(value)) return value.map((one) => filledIn(one, subject));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, subject)]));
}

/** Whether a text has such a place. */
export const hasTemplate = (text: string): boolean => text.search(TEMPLATE) >= 0;

const at = (subject: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Record<string, unknown>)[key];
  }, subject);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
