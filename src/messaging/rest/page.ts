import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { seenId, storedId } from '../../kernel/clock/request-sandbox.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 200;

/**
 * A page of a control-plane list, oldest first (docs/reference/control-plane.md#conventions). `at` is the item that
 * the page begins with.
 */
export interface Page {
  readonly limit: number;
  readonly at: { readonly createdAt: number; readonly id: string } | null;
}

/** What every listed row has: the order of the lists. */
export interface Listed {
  readonly id: string;
  /** Microseconds. */
  readonly createdAt: number;
}

const BEGINNING = { createdAt: 0, id: '' };
const CURSOR = /^(\d{1,16}):((?:T|B|A|Ow|Es|Sc)0[0-9A-Z]{9})$/;

/** Values for SQL: `WHERE (created_at, id) >= ($n, $n+1) ORDER BY created_at, id LIMIT $n+2`; one more row than asked. */
export const pageValues = ({ limit, at }: Page): [number, string, number] => {
  const { createdAt, id } = at ?? BEGINNING;
  return [createdAt, id, limit + 1];
};

/** The answer of a list: `rows` as `pageValues` asked for them. */
export function toPage<R extends Listed>(
  name: string,
  rows: readonly R[],
  page: Page,
  show: (row: R) => object,
): object {
  const next = rows[page.limit];
  return {
    [name]: rows.slice(0, page.limit).map(show),
    next_cursor: next ? Buffer.from(seenId(`${next.createdAt}:${next.id}`)).toString('base64') : '',
  };
}

function readPage(query: Readonly<Record<string, unknown>>): Page {
  const faults: string[] = [];
  const { limit: sentLimit, cursor: sentCursor } = query;
  let limit = DEFAULT_LIMIT;
  if (sentLimit !== undefined && sentLimit !== '') {
    if (typeof sentLimit === 'string' && /^[0-9]{1,15}$/.test(sentLimit) && Number(sentLimit) > 0) {
      limit = Math.min(Number(sentLimit), MAX_LIMIT);
    } else faults.push(`limit must be an integer from 1 to ${MAX_LIMIT}`);
  }
  let at: Page['at'] = null;
  if (sentCursor !== undefined && sentCursor !== '') {
    const plain = typeof sentCursor === 'string' ? Buffer.from(sentCursor, 'base64').toString('latin1') : '';
    const match = CURSOR.exec(storedId(plain));
    if (match && Number(match[1]) <= Number.MAX_SAFE_INTEGER)
      at = { createdAt: Number(match[1]), id: match[2] as string };
    else faults.push('cursor must be a next_cursor of this list');
  }
  if (faults.length > 0) throw new BadRequestException(faults);
  return { limit, at };
}

/** `limit` (default 100, at most 200: more is clamped) and `cursor` of a list. @throws BadRequestException */
export const PageOf = createParamDecorator((_: unknown, context: ExecutionContext): Page =>
  readPage(context.switchToHttp().getRequest<FastifyRequest>().query as Record<string, unknown>),
);
