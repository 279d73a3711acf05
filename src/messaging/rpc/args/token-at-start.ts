import type { FastifyRequest } from 'fastify';

const MULTIPART = /^multipart\/form-data\b/i;
/** With bounds, so that it takes no longer than the text is long. */
const PART =
  /(?:^|\n)content-disposition:[^\n]{0,200};[ \t]{0,10}name="?token"?[^\n]{0,200}\n(?:[^\n]{1,500}\n){0,4}\n([^\n]{1,500})\n/i;

/**
 * The token argument of a call whose body has not arrived completely: in the query, or in what is there of a form. It
 * only decides whether the rest is read.
 */
export function tokenAtStart(
  { url, headers }: Pick<FastifyRequest, 'url' | 'headers'>,
  start: Buffer,
): string | undefined {
  const at = url.indexOf('?');
  const inQuery = at === -1 ? undefined : inForm(url.slice(at + 1));
  if (inQuery !== undefined) return inQuery;
  const text = start.toString('latin1');
  if (MULTIPART.test(headers['content-type'] ?? '')) return PART.exec(text.replaceAll('\r\n', '\n'))?.[1];
  return inForm(text);
}

function inForm(form: string): string | undefined {
  const value = /(?:^|&)token=([^&]{1,500})/.exec(form)?.[1];
  return value === undefined ? undefined : (new URLSearchParams(`v=${value}`).get('v') ?? undefined);
}
