import { expect } from 'vitest';
import type { z } from 'zod';
import { answers } from './shapes/answers.js';
import { eventShapes } from './shapes/events.js';
import { furtherAnswers } from './shapes/further-answers.js';

const answerShapes: Readonly<Record<string, z.ZodType | undefined>> = { ...answers, ...furtherAnswers };
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** docs/reference/chat.md#ids: every value under one of these keys is a well-formed id. */
const ID_KEYS = /^(id|.*_id|user|creator|channel|inviter|parent_user_id)$/;
const ID = /^(T|U|C|D|G|A|B|Bk|Ev|Fn|Fx|Wx|Es|Ow|Sc|Xf|V|F|Q|S|Sb)0[0-9A-Z]{9}$/;
const NOT_IDS = new Set([
  'block_id',
  'action_id',
  'callback_id',
  'external_id',
  'trigger_id',
  'enterprise_id',
  'context_enterprise_id',
  'unfurl_id',
]);

/** The content of users is not checked. */
const CONTENT = new Set(['blocks', 'attachments', 'metadata', 'manifest', 'external_ref']);

function checkIds(value: unknown, path: string): void {
  if (Array.isArray(value)) value.forEach((item, i) => checkIds(item, `${path}[${i}]`));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (CONTENT.has(key)) continue;
      if (
        typeof item === 'string' &&
        ID_KEYS.test(key) &&
        !NOT_IDS.has(key) &&
        /^[A-Z]/.test(item) &&
        item !== 'USLACKBOT'
      ) {
        expect(item, `${path}.${key}`).toMatch(ID);
      }
      checkIds(item, `${path}.${key}`);
    }
  }
}

/** Checks every answer of the control plane: no UUID, and well-formed ids. */
export function checkRest(route: string, body: unknown, text: string): void {
  expect(text).not.toMatch(UUID);
  checkIds(body, route);
}

/** Checks every answer of a method: `ok` first, no UUID, well-formed ids, and the declared shape of the method. */
export function checkPayload(method: string, body: Record<string, unknown>, text: string): void {
  if (!('ok' in body)) return; // REST bodies (413)
  expect(typeof body['ok']).toBe('boolean');
  expect(text).not.toMatch(UUID);
  checkIds(body, method);
  if (body['ok'] !== true) {
    expect(typeof body['error'], `${method} says why it failed`).toBe('string');
    return;
  }
  const shape: z.ZodType | undefined = answerShapes[method];
  if (shape) {
    const result = shape.safeParse(body);
    if (!result.success)
      expect.fail(`${method} answered another shape than declared: ${JSON.stringify(result.error.issues)}`);
  }
}

/** Checks the inner object of a recorded event: no UUID, well-formed ids, and the declared shape of its kind. */
export function checkEvent(kind: string, text: string): void {
  const event = JSON.parse(text) as unknown;
  expect(text).not.toMatch(UUID);
  checkIds(event, kind);
  const shape = eventShapes[kind];
  if (!shape) expect.fail(`${kind} is no declared kind of event`);
  const result = shape.safeParse(event);
  if (!result.success)
    expect.fail(`${kind} has another shape than declared: ${JSON.stringify(result.error.issues)} ${text}`);
}
