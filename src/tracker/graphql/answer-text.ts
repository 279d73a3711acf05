import { LongWork } from '../../kernel/clock/long-work.js';

/** Data that never changes, with its text once it has been serialised. */
const constants = new WeakMap<object, { text?: string }>();

/** Marks data that is answered repeatedly without changes, so that it is serialised and measured once. */
export const isConstant = (data: object): void => void constants.set(data, {});

/** Undefined for data that was not serialised yet, or may change. */
export const constantText = (data: object | null | undefined): string | undefined =>
  data ? constants.get(data)?.text : undefined;

/**
 * `{"data": …}` of an answer without errors, root field by root field: a long one yields to other calls in between, and
 * what several aliases share is serialised once.
 */
export async function answerText(data: Readonly<Record<string, unknown>> | null | undefined): Promise<string> {
  const constant = data ? constants.get(data) : undefined;
  if (!constant) return newText(data);
  return (constant.text ??= await newText(data));
}

async function newText(data: Readonly<Record<string, unknown>> | null | undefined): Promise<string> {
  const fields = Object.entries(data ?? {});
  if (fields.length < 2) return JSON.stringify({ data });
  const work = new LongWork();
  const texts = new Map<object, string>();
  const parts: string[] = [];
  for (const [key, value] of fields) {
    const isObject = typeof value === 'object' && value !== null;
    let text = isObject ? texts.get(value) : undefined;
    if (text === undefined) {
      await work.pause();
      text = JSON.stringify(value);
      if (isObject) texts.set(value, text);
    }
    if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{"data":{${parts.join(',')}}}`;
}
