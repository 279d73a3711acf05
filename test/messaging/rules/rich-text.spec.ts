import { describe, expect, it } from 'vitest';
import { toRichText } from '../../../src/messaging/wire/rich-text.js';

const said = (text: string, style?: object) => ({ type: 'text', text, ...(style && { style }) });
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const list = (style: string, indent: number, ...items: object[][]) => ({
  type: 'rich_text_list',
  style,
  indent,
  elements: items.map((elements) => section(...elements)),
});

// docs/reference/chat.md#streams
describe('Markdown as rich text', () => {
  it.each<[string, string, object[]]>([
    [
      'paragraphs and headings share a section',
      '# Title\n\nOne **two** *three* ~~four~~ `five`\n\nNext',
      [
        section(
          said('Title', { bold: true }),
          said('\n\n'),
          said('One '),
          said('two', { bold: true }),
          said(' '),
          said('three', { italic: true }),
          said(' '),
          said('four', { strike: true }),
          said(' '),
          said('five', { code: true }),
          said('\n\n'),
          said('Next'),
        ),
      ],
    ],
    ['styles nest', '**a *b***', [section(said('a ', { bold: true }), said('b', { bold: true, italic: true }))]],
    [
      'links',
      '[here](https://example.com) https://example.com/b',
      [
        section({ type: 'link', url: 'https://example.com', text: 'here' }, said(' '), {
          type: 'link',
          url: 'https://example.com/b',
        }),
      ],
    ],
    [
      'mentions, at the start of a line too',
      '<!here> **hi** <@U0AAAAAAAA1> in <#C0AAAAAAAA1|ops> and <!subteam^S0AAAAAAAA1>, <b>',
      [
        section(
          { type: 'broadcast', range: 'here' },
          said(' '),
          said('hi', { bold: true }),
          said(' '),
          { type: 'user', user_id: 'U0AAAAAAAA1' },
          said(' in '),
          { type: 'channel', channel_id: 'C0AAAAAAAA1' },
          said(' and '),
          { type: 'usergroup', usergroup_id: 'S0AAAAAAAA1' },
          said(', <b>'),
        ),
      ],
    ],
    [
      'lists, one inside the other',
      'So:\n\n- a\n- b\n  1. c\n- d',
      [
        section(said('So:')),
        list('bullet', 0, [said('a')], [said('b')]),
        list('ordered', 1, [said('c')]),
        list('bullet', 0, [said('d')]),
      ],
    ],
    ['an ordered list that does not begin at one', '3. x', [{ ...list('ordered', 0, [said('x')]), offset: 2 }]],
    [
      'code and quotes',
      '```js\nlet a;\n```\n> said\n> again',
      [
        { type: 'rich_text_preformatted', elements: [said('let a;')] },
        { type: 'rich_text_quote', elements: [said('said\nagain')] },
      ],
    ],
    ['what is not closed yet', 'Hello **wo', [section(said('Hello **wo'))]],
    ['a table', '| a |\n|---|\n| b |', [section(said('| a |\n|---|\n| b |'))]],
    ['blanks', ' \n\n', []],
    [
      'a list in a quote in a list, which the reader of Markdown fails at',
      '- item\n\t> 2) two\nword',
      [list('bullet', 0, [said('item\n  > 2) two\nword')])],
    ],
  ])('%s', (_, markdown, elements) => {
    expect(toRichText(markdown)).toEqual(elements);
  });
});
