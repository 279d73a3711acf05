import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ApiError, wordsFor } from '../../ui/src/api/errors.js';
import type { Message } from '../../ui/src/api/wire.js';
import {
  EMPTY_WINDOW,
  MAX_LOADED,
  insert,
  replaced,
  withChanged,
  withNewer,
  withOlder,
  withPosted,
  withReaction,
  withReply,
  without,
} from '../../ui/src/chat/window.js';
import { curlOf } from '../../ui/src/inspect/curl.js';
import { chipWords, readFilters, toQuery } from '../../ui/src/inspect/filters.js';
import { isOwnPath } from '../../ui/src/kit/own-path.js';
import { decodeMentions, encodeMentions } from '../../ui/src/text/mentions.js';

const at = (n: number): Message => ({
  type: 'message',
  ts: `1767225600.${String(n).padStart(6, '0')}`,
  text: String(n),
  user: 'U0ANNUSER01',
});
const range = (from: number, to: number): Message[] => Array.from({ length: to - from }, (_, i) => at(from + i));

describe('mentions', () => {
  const names = {
    users: new Map([
      ['ann', 'U0ANNUSER01'],
      ['ann.lee', 'U0ANNLEE001'],
    ]),
    channels: new Map([['war-room', 'C0WARROOM01']]),
  };

  it.each([
    ['hi @ann', 'hi <@U0ANNUSER01>'],
    ['@ann.lee!', '<@U0ANNLEE001>!'],
    ['@ann.', '<@U0ANNUSER01>.'],
    ['@anna', '@anna'],
    ['mail a@ann', 'mail a@ann'],
    ['#war-room @here', '<#C0WARROOM01|war-room> <!here>'],
    ['`@ann` \\@ann', '`@ann` @ann'],
    ['@nobody', '@nobody'],
  ])('encodes %s', (typed, expected) => {
    expect(encodeMentions(typed, names).text).toBe(expected);
  });

  it('are shown as names for editing', () => {
    expect(decodeMentions('<@U0ANNUSER01> <#C0WARROOM01|war-room> <!here>', () => 'ann')).toBe('@ann #war-room @here');
  });
});

describe('the loaded part of a conversation', () => {
  const loaded = replaced(EMPTY_WINDOW, range(10, 20).reverse(), { hasOlder: true, hasNewer: false });

  it('is ascending, whatever order pages arrive in, and contains each message once', () => {
    expect(loaded.messages.map(({ text }) => Number(text))).toEqual(range(10, 20).map(({ text }) => Number(text)));
    const more = withOlder(loaded, range(5, 12), false);
    expect(more.messages).toHaveLength(15);
    expect(more.messages[0]?.text).toBe('5');
    expect(insert(more.messages, at(5))).toHaveLength(15);
    expect(without(more.messages, at(5).ts)).toHaveLength(14);
  });

  it('has no gap: messages beyond a part that is not loaded are not added', () => {
    const far = { ...loaded, hasNewer: true };
    expect(withPosted(far, at(99))).toBe(far);
    expect(withPosted(loaded, at(99)).messages.at(-1)?.text).toBe('99');
    expect(withPosted(loaded, at(1))).toBe(loaded);
  });

  it('drops messages at the other end beyond its maximum', () => {
    const full = replaced(EMPTY_WINDOW, range(2_000, 2_000 + MAX_LOADED), { hasOlder: true, hasNewer: false });
    expect(withOlder(full, range(1_900, 2_000), true)).toMatchObject({ hasNewer: true });
    expect(withOlder(full, range(1_900, 2_000), true).messages).toHaveLength(MAX_LOADED);
    expect(withNewer({ ...full, hasNewer: true }, range(4_000, 4_100), false)).toMatchObject({
      hasOlder: true,
      hasNewer: false,
    });
  });

  it('counts a reply once, keeps reactions over an edit, and undoes them', () => {
    const parent = withReply(at(1), at(2));
    expect(withReply(parent, at(2))).toBe(parent);
    expect(parent).toMatchObject({ reply_count: 1, reply_users: ['U0ANNUSER01'] });
    const reacted = withReaction(at(1), 'tada', 'U1', true);
    expect(withReaction(reacted, 'tada', 'U1', true)).toBe(reacted);
    expect(withChanged(reacted, { ...at(1), text: 'new' })).toMatchObject({
      text: 'new',
      reactions: [{ name: 'tada' }],
    });
    expect(withReaction(reacted, 'tada', 'U1', false)).not.toHaveProperty('reactions');
  });
});

describe('the inspector', () => {
  it('copies a call as a command with correct shell quoting', () => {
    const args = { channel: '#general', text: `it's "$HOME" \\ and\nmore` };
    const curl = curlOf(
      {
        id: '1',
        at: '',
        wall: '',
        kind: 'call',
        method: 'chat.postMessage',
        caller: { kind: 'bot' },
        args: { ...args, token: '[redacted]' },
      },
      'http://127.0.0.1:3000',
    ) as string;
    const shown = execFileSync(
      'sh',
      ['-c', `curl() { for arg in "$@"; do printf '%s\\0' "$arg"; done; }; BOT_TOKEN=xoxb-1; ${curl}`],
      { encoding: 'utf8' },
    ).split('\0');
    expect(shown).toContain('http://127.0.0.1:3000/api/chat.postMessage');
    expect(shown).toContain('Authorization: Bearer xoxb-1');
    expect(JSON.parse(shown[shown.indexOf('-d') + 1] as string)).toEqual(args);
  });

  it('reads its filters from the address and describes them', () => {
    const filters = readFilters(new URLSearchParams('method=chat.*&ok=false&other=1&text='));
    expect(filters).toEqual({ method: 'chat.*', ok: 'false' });
    expect(chipWords('ok', 'false')).toBe('Outcome: failed');
    expect(new URLSearchParams(toQuery(filters, { limit: '5' })).get('limit')).toBe('5');
    expect(Date.parse(new URLSearchParams(toQuery({ since: '-5m' }, {})).get('since') as string)).toBeLessThan(
      Date.now() - 290_000,
    );
  });
});

describe('error words', () => {
  it('describes known codes in sentences and shows others unchanged', () => {
    expect(wordsFor(new ApiError('invalid_credentials', 401))).toBe('E-mail or password is wrong.');
    expect(wordsFor(new ApiError('some_new_code', 400))).toBe('some new code');
    expect(wordsFor(new ApiError('ratelimited', 429, [], 3))).toContain('3 s');
  });
});

describe('paths in addresses', () => {
  it.each([
    ['/', true],
    ['/w/T0/c/C0?at=1.2#x', true],
    ['//spy.example', false],
    ['/\\spy.example', false],
    ['/w/\\spy.example', false],
    ['/\tw', false],
    ['https://spy.example', false],
    ['w/T0', false],
    ['', false],
  ])('recognizes %j as a path of the app: %s', (to, isOwn) => {
    expect(isOwnPath(to)).toBe(isOwn);
  });
});
