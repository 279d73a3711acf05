import { cleanText } from '../text/clean.js';

const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * A request's URL with its path in one spelling, so that the router and the edges see the same: what needs no escape has
 * none, and what no text may hold (U+0000, bytes that are not UTF-8) is U+FFFD, which no path has. A query is left alone.
 */
export function tidyUrl(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  return path.replace(ESCAPES, respell) + url.slice(path.length);
}

function respell(escapes: string): string {
  if (escapes === '%') return '%25';
  const text = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(cleanText(text));
}
