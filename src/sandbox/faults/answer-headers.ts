import { Rule, type Fault } from '../access/body-rules.js';
import { CONNECTION_HEADERS } from '../../kernel/http/connection-headers.js';
import { isObject } from '../../kernel/matchers/matcher.js';

const MAX_HEADERS = 50;
/** Headers that would reach beyond the one answer, or that are the connection's. */
const REFUSED_HEADERS = new Set<string>([
  'set-cookie',
  'clear-site-data',
  // what a browser remembers of the whole origin
  'strict-transport-security',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'refresh',
  ...CONNECTION_HEADERS,
  'transfer-encoding',
  'content-length',
]);

/** Headers of an answer that somebody makes up: of a fault or of an inbox. */
export const AnswerHeaders = (): PropertyDecorator => Rule(faultsOfHeaders);

function faultsOfHeaders(headers: unknown): string | Fault[] {
  if (!isObject(headers)) return 'must be an object';
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `has at most ${MAX_HEADERS} headers`;
  return entries.flatMap(([name, content]) => {
    const what = faultOfHeader(name, content);
    return what === undefined ? [] : [{ at: `.${name}`, what }];
  });
}

function faultOfHeader(name: string, content: unknown): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'no name of a header';
  if (REFUSED_HEADERS.has(name.toLowerCase())) return 'this header may not be set';
  // oxlint-disable-next-line no-control-regex
  if (typeof content !== 'string' || content.length > 8_000 || /[^\t\x20-\x7e\x80-\xff]/.test(content)) {
    return 'must be a text without line breaks';
  }
  return undefined;
}
