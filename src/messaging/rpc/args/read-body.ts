import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '../../wire/codes.js';
import { isJsonObject } from '../../wire/text.js';
import { parseJson, TooManyNames } from '../../../kernel/text/json.js';

/** A call as it came in. */
export interface IncomingCall {
  /** HTTP verb; only GET is treated differently, as it has no body. */
  method: string;
  /** The header as sent, parameters included. */
  contentType: string | undefined;
  /** The declared charset, where it is already known; else it is read from `contentType`. */
  charset?: string;
  body: Buffer | undefined;
  /** The query string, without its question mark. */
  query: string;
}

export interface ReadArguments {
  /** By name; the object has no prototype. Holds the query's arguments also when the body can't be read. */
  args: Record<string, unknown>;
  /** The token argument, where this kind of request may carry one (docs/reference/chat.md#request-formats). */
  token?: string;
  /** Why the request can't be read (docs/ERRORS.md). It is answered after authentication. */
  error?: ErrorCode;
}

/** Arguments found in one place, in order: a later one of a name replaces an earlier one. */
interface Found {
  args: Record<string, unknown>;
  error?: ErrorCode;
}

/** The most arguments that a call may have in its query, and in its body. */
export const MAX_ARGUMENTS = 1_000;

/** There are more arguments than that. */
class TooMany extends Error {}

const ARGUMENT_NAME = /^[A-Za-z0-9_]{1,128}$/;

/**
 * Reads the arguments of a call (docs/reference/chat.md#request-formats). Only multipart needs a promise: JSON and
 * urlencoded bodies are the hot path.
 */
export function readArguments(call: IncomingCall): ReadArguments | Promise<ReadArguments> {
  const query = readForm(call.query, lenient);
  const { body } = call;
  if (body === undefined || body.length === 0 || call.method === 'GET') return merge(undefined, query, false);
  if (!call.contentType) return merge({ args: empty(), error: 'missing_post_type' }, query, false);

  const { type, parameters } = splitContentType(call.contentType);
  if (type === 'multipart/form-data') {
    return readMultipart(body, call.contentType).then((found) => merge(found, query, true));
  }
  const form = type === 'application/x-www-form-urlencoded';
  if (!form && type !== 'application/json' && type !== 'text/plain') {
    return merge({ args: empty(), error: 'invalid_post_type' }, query, false);
  }
  const charset = (call.charset ?? charsetOf(parameters)).toLowerCase();
  const latin1 = charset === 'iso-8859-1';
  if (!latin1 && charset !== 'utf-8' && charset !== 'utf8') {
    return merge({ args: empty(), error: 'invalid_charset' }, query, false);
  }
  if (!latin1 && !isUtf8(body)) {
    return merge(
      { args: empty(), error: type === 'application/json' ? 'invalid_json' : 'invalid_form_data' },
      query,
      false,
    );
  }
  let text = body.toString(latin1 ? 'latin1' : 'utf8');
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  const decode = latin1 ? latin1Form : strict;
  if (form) return merge(readForm(text, decode), query, true);
  if (type === 'application/json') return merge(readJson(text), query, false);
  return merge(readPlain(text, decode), query, false);
}

function merge(body: Found | undefined, query: Found, bodyToken: boolean): ReadArguments {
  const args = query.args;
  const queryToken = takeToken(args);
  const result: ReadArguments = { args };
  let token: string | undefined;
  if (body) {
    const sent = takeToken(body.args);
    if (bodyToken) token = sent;
    for (const name in body.args) args[name] = body.args[name];
  }
  token ??= queryToken;
  if (token !== undefined) result.token = token;
  const error = body?.error ?? query.error;
  if (error !== undefined) result.error = error;
  return result;
}

/** An empty token is none (docs/reference/chat.md#arguments). */
function takeToken(args: Record<string, unknown>): string | undefined {
  const token = args['token'];
  if (token === undefined) return undefined;
  delete args['token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function readJson(text: string): Found {
  if (text.trim() === '') return { args: empty() };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return error instanceof TooManyNames ? tooMany() : { args: empty(), error: 'invalid_json' };
  }
  return isJsonObject(value) ? fromObject(value) : { args: empty(), error: 'json_not_object' };
}

function readPlain(text: string, decode: Decode): Found {
  if (text.trimStart().startsWith('{')) {
    try {
      const value: unknown = parseJson(text);
      if (isJsonObject(value)) return fromObject(value);
    } catch {
      // Not JSON after all.
    }
  }
  return readForm(text, decode);
}

function fromObject(object: Record<string, unknown>): Found {
  const names = Object.keys(object);
  if (names.length > MAX_ARGUMENTS) return tooMany();
  const found: Found = { args: empty() };
  for (const name of names) put(found, name, object[name]);
  return found;
}

type Decode = (text: string) => string;

/** Throws URIError for a bad escape and for bytes that are no UTF-8. */
const strict: Decode = (text) => decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);

const latin1Form: Decode = (text) =>
  text.replaceAll('+', ' ').replace(/%(..?)?/gs, (escape) => {
    if (!/^%[0-9A-Fa-f]{2}$/.test(escape)) throw new URIError(escape);
    return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  });

/** For query strings, which have no error of their own: what is no escape stays as it is, as in URLs elsewhere. */
const lenient: Decode = (text) => {
  try {
    return strict(text);
  } catch {
    return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '';
  }
};

function readForm(text: string, decode: Decode): Found {
  const found: Found = { args: empty() };
  if (text === '') return found;
  try {
    for (const pair of pairsOf(text)) {
      const equals = pair.indexOf('=');
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      put(found, name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
    }
  } catch (error) {
    return error instanceof TooMany ? tooMany() : { args: empty(), error: 'invalid_form_data' };
  }
  return found;
}

/** @throws TooMany, before the others are looked at */
function* pairsOf(text: string): Generator<string> {
  let count = 0;
  for (let from = 0; from <= text.length;) {
    const next = text.indexOf('&', from);
    const end = next === -1 ? text.length : next;
    if (end > from) {
      if (++count > MAX_ARGUMENTS) throw new TooMany();
      yield text.slice(from, end);
    }
    from = end + 1;
  }
}

async function readMultipart(body: Buffer, contentType: string): Promise<Found> {
  // each part makes the parser an object and a file, so they are counted before
  if (partsOf(body, contentType) > MAX_ARGUMENTS) return tooMany();
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
    const found: Found = { args: empty() };
    for (const [name, value] of form) if (typeof value === 'string') put(found, name, value);
    return found;
  } catch {
    return { args: empty(), error: 'invalid_form_data' };
  }
}

/** How many parts a body has, or that there are too many. */
function partsOf(body: Buffer, contentType: string): number {
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const mark = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  let count = 0;
  // the last one ends the body
  for (
    let at = body.indexOf(mark);
    at !== -1 && count <= MAX_ARGUMENTS + 1;
    at = body.indexOf(mark, at + mark.length)
  ) {
    count++;
  }
  return count - 1;
}

const tooMany = (): Found => ({ args: empty(), error: 'invalid_arguments' });

function put(found: Found, sentName: string, value: unknown): void {
  const name = sentName.endsWith('[]') ? sentName.slice(0, -2) : sentName;
  if (ARGUMENT_NAME.test(name)) found.args[name] = value;
  else found.error ??= 'invalid_arg_name';
}

function splitContentType(header: string): { type: string; parameters: string } {
  const semicolon = header.indexOf(';');
  if (semicolon < 0) return { type: header.trim().toLowerCase(), parameters: '' };
  return { type: header.slice(0, semicolon).trim().toLowerCase(), parameters: header.slice(semicolon) };
}

function charsetOf(parameters: string): string {
  if (parameters === '') return 'utf-8';
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(parameters);
  return match ? (match[1] ?? match[2] ?? '') : 'utf-8';
}

/** Without prototype: an argument called `__proto__` or `constructor` is an argument. */
function empty(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
