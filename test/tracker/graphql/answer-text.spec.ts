import { describe, expect, it } from 'vitest';
import { answerText } from '../../../src/tracker/graphql/answer-text.js';

describe('the text of an answer', () => {
  const shared = { name: 'Query "root"', fields: [null, 1, true] };
  it.each([
    ['no data', null],
    ['no fields', {}],
    ['one field', { viewer: { id: 'u', none: undefined } }],
    ['several fields, of every kind', { a: 'ü"\n', b: 1.5, c: null, d: [1, { e: new Date(0) }], 'f"': false, g: {} }],
    ['fields without a value', { a: undefined, b: 1, c: undefined }],
    ['a value that several fields share', { a: shared, b: shared, c: { ...shared }, d: [shared, shared] }],
  ])('equals JSON.stringify for %s', async (_what, data) => {
    expect(await answerText(data)).toBe(JSON.stringify({ data }));
  });
});
