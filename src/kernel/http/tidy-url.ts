import { cleanText } from '../text/clean.js';

const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * A request's URL with its path in one spelling, so that the router and the edges see the same: what needs no escape has
 * none, and what no text may hold (U+0000, bytes that are not UTF-8) is U+FFFD, which no path has. A query is left alone.
 * Of an absolute target only the path matters here.
 */
export function tidyUrl(target: string): string {
  const url = originForm(target);
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  return path.replace(ESCAPES, normalizeEscapes) + url.slice(path.length);
}

/** `http://host/path` and `*` as a path. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function normalizeEscapes(escapes: string): string {
  if (escapes === '%') return '%25';
  const text = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(cleanText(text));
}
