import { describe, expect, it } from 'vitest';
import { checkChannelName } from '../../../src/messaging/wire/channel-name.js';

describe('checkChannelName', () => {
  it.each([
    'general',
    'a',
    '2026',
    'a-b_c',
    '日本語',
    'été',
    'e\u0301te\u0301',
    '한글',
    'हिन्दी',
    '_x',
    'x'.repeat(80),
    '語'.repeat(80),
    '𠮷'.repeat(80),
  ])('accepts %s unchanged', (name) => {
    expect(checkChannelName(name)).toEqual({ name });
  });

  it('trims white space', () => {
    expect(checkChannelName('  general\n')).toEqual({ name: 'general' });
  });

  it.each([
    ['', 'invalid_name_required'],
    [' \t\u00a0', 'invalid_name_required'],
    ['x'.repeat(81), 'invalid_name_maxlength'],
    ['X'.repeat(81), 'invalid_name_maxlength'],
    ['General', 'invalid_name_specials'],
    ['Été', 'invalid_name_specials'],
    ['a b', 'invalid_name_specials'],
    ['#general', 'invalid_name_specials'],
    ['a.b', 'invalid_name_specials'],
    ['a\u0000', 'invalid_name_specials'],
    ['a\uFFFD', 'invalid_name_specials'],
    ['a\nb', 'invalid_name_specials'],
    ['😀', 'invalid_name_specials'],
    ['½', 'invalid_name_specials'],
    ['-', 'invalid_name_punctuation'],
    ['_-_', 'invalid_name_punctuation'],
    ['here', 'invalid_name'],
    [' everyone ', 'invalid_name'],
    ['channel', 'invalid_name'],
    ['group', 'invalid_name'],
    ['me', 'invalid_name'],
  ])('answers %j with %s', (name, error) => {
    expect(checkChannelName(name)).toEqual({ error });
  });
});
