import { describe, expect, it } from 'vitest';
import { checkAttachments, checkBlocks, checkMetadata, type Block } from '../../../src/messaging/wire/blocks.js';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) });
const image = { type: 'image', alt_text: '', image_url: 'http://x/y.png' };
const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

function accepted(blocks: unknown[]): Block[] {
  const result = checkBlocks(blocks);
  if ('error' in result) throw new Error(result.messages?.[0] ?? result.error);
  return result.blocks;
}

describe('checkBlocks', () => {
  it.each([
    section('x'),
    section('x'.repeat(3000)),
    section('😀'.repeat(3000)),
    { type: 'section', fields: [plain('a'), mrkdwn('b'.repeat(2000))] },
    { type: 'section', text: plain('a'), fields: Array(10).fill(plain('f')) },
    { type: 'header', text: plain('x'.repeat(150)) },
    { type: 'divider' },
    image,
    { type: 'image', alt_text: 'a', slack_file: { id: 'F1' } },
    { type: 'context', elements: [image, mrkdwn('a'), plain('b')] },
    { type: 'actions', elements: [{ type: 'button', text: plain('x'.repeat(75)) }, { type: 'users_select' }] },
    { type: 'input', label: plain('l'), element: { type: 'plain_text_input' } },
    { type: 'rich_text', elements: [] },
    { type: 'markdown', text: 'x'.repeat(12_000) },
    { type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] },
    { type: 'file', source: 'remote', external_id: 'x' },
  ])('accepts a valid block: $type', (block) => {
    const [copy] = accepted([block]);
    expect(copy).toMatchObject(block);
    expect(copy!['block_id']).toMatch(/^[A-Za-z0-9]{5}$/);
  });

  it.each<[unknown[], string]>([
    [[null], 'must be an object [json-pointer:/blocks/0]'],
    [['x'], 'must be an object [json-pointer:/blocks/0]'],
    [[{}], 'missing required field: type [json-pointer:/blocks/0]'],
    [[{ type: 'divider' }, { type: 'foo' }], 'unsupported type: foo [json-pointer:/blocks/1/type]'],
    [[{ type: 'constructor' }], 'unsupported type: constructor [json-pointer:/blocks/0/type]'],
    [[{ type: 1 }], 'unsupported type: number [json-pointer:/blocks/0/type]'],
    [Array(51).fill({ type: 'divider' }), 'no more than 50 items allowed [json-pointer:/blocks]'],
    [[{ type: 'section' }], 'missing required field: text [json-pointer:/blocks/0]'],
    [[section('')], 'must be more than 0 characters [json-pointer:/blocks/0/text/text]'],
    [[section('x'.repeat(3001))], 'must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
    [[{ type: 'section', text: 'x' }], 'must be an object [json-pointer:/blocks/0/text]'],
    [
      [{ type: 'section', text: { type: 'html', text: 'x' } }],
      'unsupported type: html [json-pointer:/blocks/0/text/type]',
    ],
    [[{ type: 'section', fields: [] }], 'no less than 1 items allowed [json-pointer:/blocks/0/fields]'],
    [
      [{ type: 'section', fields: Array(11).fill(plain('x')) }],
      'no more than 10 items allowed [json-pointer:/blocks/0/fields]',
    ],
    [
      [{ type: 'section', fields: [plain('x'.repeat(2001))] }],
      'must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]',
    ],
    [[{ type: 'header', text: mrkdwn('x') }], 'unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]'],
    [
      [{ type: 'header', text: plain('x'.repeat(151)) }],
      'must be less than 151 characters [json-pointer:/blocks/0/text/text]',
    ],
    [[{ type: 'image', image_url: 'http://x' }], 'missing required field: alt_text [json-pointer:/blocks/0]'],
    [[{ type: 'image', alt_text: 'x' }], 'missing required field: image_url [json-pointer:/blocks/0]'],
    [[{ type: 'context' }], 'missing required field: elements [json-pointer:/blocks/0]'],
    [
      [{ type: 'context', elements: Array(11).fill(plain('x')) }],
      'no more than 10 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [
      [{ type: 'context', elements: [{ type: 'button' }] }],
      'unsupported type: button [json-pointer:/blocks/0/elements/0/type]',
    ],
    [[{ type: 'actions', elements: [] }], 'no less than 1 items allowed [json-pointer:/blocks/0/elements]'],
    [
      [{ type: 'actions', elements: Array(26).fill({ type: 'x' }) }],
      'no more than 25 items allowed [json-pointer:/blocks/0/elements]',
    ],
    [[{ type: 'actions', elements: [{}] }], 'missing required field: type [json-pointer:/blocks/0/elements/0]'],
    [
      [{ type: 'actions', elements: [{ type: 'button', text: plain('x'.repeat(76)) }] }],
      'must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]',
    ],
    [[{ type: 'input', element: {} }], 'missing required field: label [json-pointer:/blocks/0]'],
    [[{ type: 'input', label: plain('x') }], 'missing required field: element [json-pointer:/blocks/0]'],
    [[{ type: 'rich_text' }], 'missing required field: elements [json-pointer:/blocks/0]'],
    [[{ type: 'rich_text', elements: {} }], 'must be an array [json-pointer:/blocks/0/elements]'],
    [
      [{ type: 'markdown', text: 'x'.repeat(12_001) }],
      'must be less than 12001 characters [json-pointer:/blocks/0/text]',
    ],
    [[{ type: 'markdown', text: 5 }], 'must be a string [json-pointer:/blocks/0/text]'],
    [[{ type: 'table' }], 'missing required field: rows [json-pointer:/blocks/0]'],
    [
      [{ type: 'divider', block_id: 'x'.repeat(256) }],
      'must be less than 256 characters [json-pointer:/blocks/0/block_id]',
    ],
    [
      [
        { type: 'divider', block_id: 'a' },
        { type: 'divider', block_id: 'a' },
      ],
      'block_id must be unique [json-pointer:/blocks/1/block_id]',
    ],
  ])('answers invalid_blocks: %#', (blocks, message) => {
    expect(checkBlocks(blocks)).toEqual({ error: 'invalid_blocks', messages: [`[ERROR] ${message}`] });
  });

  it.each([null, undefined, {}, 'x', 5])('answers invalid_blocks_format for %j', (value) => {
    expect(checkBlocks(value)).toEqual({ error: 'invalid_blocks_format' });
  });

  it('answers msg_blocks_too_long for valid blocks over 100,000 characters', () => {
    expect(checkBlocks(Array(40).fill(section('x'.repeat(2600))))).toEqual({ error: 'msg_blocks_too_long' });
    expect(checkBlocks(Array(40).fill(section('😀'.repeat(2400))))).toHaveProperty('blocks');
  });

  it('keeps given block ids and generates the others, all different', () => {
    const blocks = accepted([
      { type: 'divider', block_id: 'mine' },
      { type: 'divider', block_id: '' },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: plain('a'), action_id: 'go' },
          { type: 'button', text: plain('b') },
        ],
      },
      { type: 'section', text: plain('x'), accessory: { type: 'users_select' } },
      { type: 'section', text: plain('x'), accessory: { ...image } },
      { type: 'input', label: plain('l'), element: { type: 'datepicker' } },
    ]);
    expect(blocks[0]!['block_id']).toBe('mine');
    const elements = (blocks[2]!['elements'] as Block[]).concat(
      blocks[3]!['accessory'] as Block,
      blocks[5]!['element'] as Block,
    );
    expect(elements[0]!['action_id']).toBe('go');
    expect(blocks[4]!['accessory']).not.toHaveProperty('action_id');
    const ids = [...blocks.map((block) => block['block_id']), ...elements.map((element) => element['action_id'])];
    expect(new Set(ids).size).toBe(10);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{2,5}$/);
  });

  it('changes only its copy of the blocks', () => {
    const given = [section('a\0\uD800')];
    expect(accepted(given)[0]).toMatchObject({ text: { text: 'a\uFFFD\uFFFD' } });
    expect(given).toEqual([section('a\0\uD800')]);
  });

  it('does not overflow on deep nesting, and treats __proto__ as an ordinary key', () => {
    expect(checkBlocks([{ type: 'rich_text', elements: deep(10_000) }])).toMatchObject({ error: 'invalid_blocks' });
    expect(checkBlocks(deep(10_000))).toMatchObject({ error: 'invalid_blocks' });
    expect(checkBlocks(JSON.parse('[{"__proto__":{"type":"divider"}}]'))).toMatchObject({ error: 'invalid_blocks' });
  });
});

describe('checkAttachments', () => {
  it('numbers attachments and gives each a fallback', () => {
    const sent = [{ text: 'a' }, { fallback: 'mine', id: 9 }, {}, { text: '', color: 'good' }];
    expect(checkAttachments(sent)).toEqual({
      attachments: [
        { id: 1, text: 'a', fallback: 'a' },
        { id: 2, fallback: 'mine' },
        { id: 3, fallback: '[no preview available]' },
        { id: 4, text: '', color: 'good', fallback: '[no preview available]' },
      ],
    });
  });

  it.each([null, {}, 'x', [1], [null], [[]], [{ blocks: 'x' }], [{ a: deep(10_000) }]])(
    'answers invalid_attachments: %#',
    (value) => {
      expect(checkAttachments(value)).toEqual({ error: 'invalid_attachments' });
    },
  );

  it('validates blocks inside attachments as blocks', () => {
    expect(checkAttachments([{ blocks: [{ type: 'foo' }] }])).toEqual({
      error: 'invalid_attachments',
      messages: ['[ERROR] unsupported type: foo [json-pointer:/attachments/0/blocks/0/type]'],
    });
    expect(checkAttachments([{ blocks: [{ type: 'divider' }] }])).toMatchObject({
      attachments: [{ blocks: [{ block_id: expect.stringMatching(/^\w{5}$/) as string }] }],
    });
  });

  it('answers too_many_attachments over 100', () => {
    expect(checkAttachments(Array(101).fill({}))).toEqual({ error: 'too_many_attachments' });
    expect(checkAttachments(Array(100).fill({}))).toHaveProperty('attachments');
  });
});

describe('checkMetadata', () => {
  it('keeps type and payload', () => {
    expect(checkMetadata({ event_type: 'a', event_payload: { b: 1 }, c: 2 })).toEqual({
      metadata: { event_type: 'a', event_payload: { b: 1 } },
    });
  });

  it.each([
    null,
    [],
    'x',
    {},
    { event_type: 'a' },
    { event_payload: {} },
    { event_type: 1, event_payload: {} },
    { event_type: '', event_payload: {} },
    { event_type: 'a', event_payload: [] },
    { event_type: 'a', event_payload: null },
    { event_type: 'a', event_payload: { a: deep(10_000) } },
  ])('answers invalid_metadata_format: %#', (value) => {
    expect(checkMetadata(value)).toEqual({ error: 'invalid_metadata_format' });
  });
});
