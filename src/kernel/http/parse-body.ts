import type { FastifyRequest } from 'fastify';
import { cleanJson } from '../text/clean.js';
import { readJsonObject, requireObject } from '../text/json.js';
import { readYaml } from '../text/yaml.js';
import { pathOf, type HttpEdges } from './edges.js';
import { RestError } from './http-error.js';
import { isLargeDocument, LargeDocument } from './large-document.js';

/** Largest body anywhere, in bytes (docs/reference/chat.md#request-formats). */
export const BODY_LIMIT = 2 * 1024 * 1024;

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json$/;

/**
 * What a route gets of its body: raw where its edge parses it, else the JSON object of a control-plane call, free of
 * characters that cannot be stored; an empty body is `{}`. A page of another site can send other content types without
 * permission, so they are refused except for routes that accept forms. A large document is passed on unparsed.
 * @throws RestError 415 unsupported_media_type, 413 payload_too_large, 400 invalid_json
 */
export function parseBody(
  request: FastifyRequest,
  body: Buffer,
  edges: HttpEdges,
): Buffer | Record<string, unknown> | LargeDocument {
  const path = pathOf(request.url);
  if (edges.of(path, request.method)?.rawBody) return body;
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (edges.takesLines(path)) {
    if (type !== 'application/x-ndjson') throw new RestError(415, 'unsupported_media_type');
    return body;
  }
  if (body.length === 0) return {};
  if (type === 'application/x-www-form-urlencoded' && edges.takesForms(path))
    return cleanJson(Object.fromEntries(new URLSearchParams(body.toString('utf8')))) as Record<string, unknown>;
  const takesDocuments = edges.documentLimit(path) !== undefined;
  const isYaml = type === 'application/yaml' && takesDocuments;
  if (isYaml && body.length > BODY_LIMIT) throw new RestError(413, 'payload_too_large');
  if (!isYaml && !JSON_TYPE.test(type ?? '')) throw new RestError(415, 'unsupported_media_type');
  if (takesDocuments && isLargeDocument(body.length, isYaml)) return new LargeDocument(body, isYaml);
  const text = body.toString('utf8');
  return isYaml ? requireObject(readYaml(text)) : readJsonObject(text);
}
