import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingTexts } from '../../../src/messaging/streams/growing-texts.js';
import { linkText } from '../../../src/messaging/wire/link-text.js';
import { toMrkdwn } from '../../../src/messaging/wire/markdown.js';
import { toRichText } from '../../../src/messaging/wire/rich-text.js';

/** Markdown, whole and in halves. */
const PIECES = [
  ['word ', 'and **bold** ', 'x\n\ny\n\n', 'Some words.\n\n', 'é🎉', '$', '\\', '!', '&amp;', ' ', '    ', '\t'],
  ['*', '**', '_', '~~', '`', '``', '```', '```js\ncode\n', '```\n', '~~~\n', '\n', '\n\n', '\n\n\n', '\r\n'],
  ['# ', '## Title\n', '- ', '- item\n', '1. ', '2) two\n', '  - inner\n', '> ', '> quote\n', '* ', '+ ', '[ ] '],
  ['---', '\n---\n', '===\n', '|', '| a | b |\n', '|---|---|\n', '<', '>', '<b>', '</b>', '<!-- ', '-->'],
  ['<pre>\n', '<div>\n', '<@U0AAAAAAAA1>', '<!here>', 'https://example.com/a', 'a@example.com'],
  ['[link](https://example.com)', '[', ']', '](', ')', '[a]', '[a]: https://example.com\n'],
].flat();

// docs/reference/chat.md#streams
describe('texts that grow', () => {
  it('read like the whole text at every moment, whatever is added', () => {
    const texts = new GrowingTexts();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 80, size: 'max' }), (pieces) => {
        let text = '';
        for (const piece of pieces) {
          text += piece;
          const shown = { text, ...texts.read('one', text) };
          expect(shown).toEqual({ text, elements: toRichText(text), mrkdwn: linkText(toMrkdwn(text)) });
        }
      }),
      { numRuns: 150 },
    );
  });
});
