import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markWholePieces } from '../../ui/src/text/found-marks.js';
import { parseInline, parseMrkdwn, plainOfBlocks, type Inline } from '../../ui/src/text/mrkdwn.js';

const text = (value: string): Inline => ({ kind: 'text', text: value });

describe('mrkdwn', () => {
  it.each<[string, Inline[]]>([
    ['plain', [text('plain')]],
    [
      '*bold* and _italic_',
      [{ kind: 'bold', children: [text('bold')] }, text(' and '), { kind: 'italic', children: [text('italic')] }],
    ],
    ['~gone~', [{ kind: 'strike', children: [text('gone')] }]],
    ['`a *b* &lt;c&gt;`', [{ kind: 'code', text: 'a *b* <c>' }]],
    ['snake_case_name', [text('snake_case_name')]],
    ['2 * 3 * 4', [text('2 * 3 * 4')]],
    ['<https://a.example|label>', [{ kind: 'link', url: 'https://a.example', label: [text('label')] }]],
    ['<https://a.example?x=1&amp;y=2>', [{ kind: 'link', url: 'https://a.example?x=1&y=2', label: null }]],
    ['see https://a.example/x.', [text('see '), { kind: 'link', url: 'https://a.example/x', label: null }, text('.')]],
    [
      '<@U0ANNUSER01> in <#C0GENERAL01|general>',
      [
        { kind: 'user', id: 'U0ANNUSER01', label: null },
        text(' in '),
        { kind: 'channel', id: 'C0GENERAL01', label: 'general' },
      ],
    ],
    ['<!here>', [{ kind: 'broadcast', range: 'here', label: null }]],
    [
      '<!date^1767225600^{date_num}|then>',
      [{ kind: 'date', seconds: 1767225600, format: '{date_num}', url: null, fallback: 'then' }],
    ],
    [':tada: at 10:30', [{ kind: 'emoji', name: 'tada' }, text(' at 10:30')]],
    ['&lt;b&gt; &amp;amp;', [text('<b> &amp;')]],
    ['<javascript:alert(1)|x>', [text('<javascript:alert(1)|x>')]],
  ])('reads %s', (source, expected) => {
    expect(parseInline(source)).toEqual(expected);
  });

  it('parses quotes and code fences as blocks', () => {
    expect(parseMrkdwn('a\n> b\n>c\nd\n```\nx = 1\n```\ne').map((block) => block.kind)).toEqual([
      'paragraph',
      'quote',
      'paragraph',
      'fence',
      'paragraph',
    ]);
    expect(parseMrkdwn('>>> a\nb')).toHaveLength(1);
  });

  it('neither throws nor loses text on any input', () => {
    const piece = fc.constantFrom(
      '*',
      '_',
      '~',
      '`',
      '```',
      '\n',
      '> ',
      '>>>',
      '<',
      '>',
      '|',
      ':tada:',
      '<@U0ANNUSER01>',
      'https://x.example/',
      '&amp;',
      ' ',
    );
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, word), { maxLength: 40 }), (parts) => {
        const shown = plainOfBlocks(parseMrkdwn(parts.join('')));
        const source = parts.join('');
        for (const found of source.replace(/<[^<>\n]*>/g, ' ').match(/[a-z]{3,}/g) ?? []) {
          if (!['amp', 'https', 'example', 'tada'].includes(found)) expect(shown).toContain(found.slice(0, 3));
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, string]>([
    [':\ue000tada\ue001:', '\ue000:tada:\ue001'],
    ['\ue000now :ta\ue001da: x', '\ue000now \ue001\ue000:tada:\ue001 x'],
    ['<https://a.example/\ue000x\ue001|a>', '\ue000<https://a.example/x|a>\ue001'],
    ['&\ue000lt\ue001; \ue000b\ue001', '\ue000&lt;\ue001 \ue000b\ue001'],
    ['*de\ue000plo\ue001y* :tada:', '*de\ue000plo\ue001y* :tada:'],
  ])('marks emoji, links and escapes as a whole where a search found a part: %j', (source, expected) => {
    expect(markWholePieces(source)).toBe(expected);
  });

  it('reads what a search found as marked', () => {
    expect(parseInline(markWholePieces('a :\ue000tada\ue001:'))).toEqual([
      text('a '),
      { kind: 'found', children: [{ kind: 'emoji', name: 'tada' }] },
    ]);
  });
});
