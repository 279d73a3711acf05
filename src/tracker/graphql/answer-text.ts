import { LongWork } from '../../kernel/clock/long-work.js';

/** Data that never changes, with its text once it was written. */
const constants = new WeakMap<object, { text?: string }>();

/** Says that this data is answered again as it is, so that its text is written and measured once. */
export const isConstant = (data: object): void => void constants.set(data, {});

/** Undefined of what was not written yet, or changes. */
export const constantText = (data: object | null | undefined): string | undefined =>
  data ? constants.get(data)?.text : undefined;

/**
 * `{"data": …}` of an answer without errors, root field by root field: a long one gives way to other calls between two of
 * them, and what several aliases share is written once.
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
