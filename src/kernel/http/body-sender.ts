import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';

/**
 * Who sends a body, by the headers: somebody the server knows; somebody who may still show a credential, or needs none;
 * or somebody who has none where one is needed, whose body is not read.
 */
export type BodySender = 'known' | 'stranger' | 'refused';

export type SentRequest = FastifyRequest & { sender?: BodySender };

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the body was not read. The route refuses the call. */
export const isUnread = (request: FastifyRequest): boolean => (request as SentRequest).sender === 'refused';
