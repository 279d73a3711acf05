import { cleanText } from '../text/clean.js';

const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * Normalizes a request's path, so that the router and the edges see the same: characters that need no escape have none,
 * and what text must not contain (U+0000, bytes that are not UTF-8) becomes U+FFFD, which no path has. The query is
 * left alone. An absolute target is reduced to its path.
 */
export function tidyUrl(target: string): string {
  const url = originForm(target);
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  return path.replace(ESCAPES, normalizeEscapes) + url.slice(path.length);
}

/** The path of `http://host/path` and `*`. */
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

export const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};
