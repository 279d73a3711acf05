import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { isEmojiName } from '../../../src/messaging/wire/emoji.js';

describe('emoji names', () => {
  it('are those of the public data set', () => {
    const data = createRequire(import.meta.url)('emoji-datasource/emoji.json') as {
      short_names: string[];
      unified: string;
    }[];
    const file = new URL('../../../src/kernel/text/emoji-unicodes.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      Object.fromEntries(data.flatMap((emoji) => emoji.short_names.map((name) => [name, emoji.unified.toLowerCase()]))),
    );
  });

  it.each(['thumbsup', '+1', '-1', 'tada', 'flag-de', 'thumbsup::skin-tone-2', '+1::skin-tone-6'])(
    'include %s',
    (name) => {
      expect(isEmojiName(name)).toBe(true);
    },
  );

  it.each([
    '',
    ':tada:',
    'TADA',
    'nonsense',
    'tada ',
    '__proto__',
    'constructor',
    'thumbsup::skin-tone-1',
    'thumbsup::skin-tone-7',
    'thumbsup:skin-tone-2',
    '::skin-tone-2',
    'nonsense::skin-tone-2',
    'thumbsup::skin-tone-2::skin-tone-3',
    'thumbsup::skin-tone-2\n',
  ])('do not include %j', (name) => {
    expect(isEmojiName(name)).toBe(false);
  });
});
