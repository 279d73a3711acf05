import { LongWork } from '../../kernel/clock/long-work.js';

/**
 * `{"data": …}` of an answer without errors, root field by root field: a long one gives way to other calls between two of
 * them, and what several aliases share is written once.
 */
export async function answerText(data: Readonly<Record<string, unknown>> | null | undefined): Promise<string> {
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
