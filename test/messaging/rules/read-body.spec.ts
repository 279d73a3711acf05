import { describe, expect, it } from 'vitest';
import { readArguments, type ReadArguments } from '../../../src/messaging/rpc/args/read-body.js';

const FORM = 'application/x-www-form-urlencoded';

function post(contentType: string | undefined, body: string | Buffer | undefined, query = ''): ReadArguments {
  const buffer = typeof body === 'string' ? Buffer.from(body) : body;
  const read = readArguments({ method: 'POST', contentType, body: buffer, query });
  if (read instanceof Promise) throw new Error('expected an answer at once');
  return { ...read, args: { ...read.args } };
}

describe('readArguments', () => {
  describe('JSON', () => {
    it('reads an object, whatever the case of the content type', () => {
      expect(post('Application/JSON; charset=UTF-8', '{"channel":"C1","blocks":[{"type":"divider"}]}')).toEqual({
        args: { channel: 'C1', blocks: [{ type: 'divider' }] },
      });
    });

    it.each(['', '  \n', '{}'])('reads %j as no arguments', (body) => {
      expect(post('application/json', body)).toEqual({ args: {} });
    });

    it.each(['{', 'nope', '{"a":1,}', '{"a":"\n"}'])('answers invalid_json for %j', (body) => {
      expect(post('application/json', body).error).toBe('invalid_json');
    });

    it('answers invalid_json for bytes that are not UTF-8', () => {
      expect(post('application/json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])).error).toBe(
        'invalid_json',
      );
    });

    it.each(['[]', '1', '"x"', 'null', 'true'])('answers json_not_object for %s', (body) => {
      expect(post('application/json', body).error).toBe('json_not_object');
    });

    it('reads a token from the query, never from the body', () => {
      expect(post('application/json', '{"token":"xoxb-body"}', 'token=xoxb-query')).toEqual({
        args: {},
        token: 'xoxb-query',
      });
      expect(post('application/json', '{"token":"xoxb-body"}')).toEqual({ args: {} });
    });

    it('accepts __proto__ and constructor as arguments', () => {
      const { args } = readArguments({
        method: 'POST',
        contentType: 'application/json',
        body: Buffer.from('{"__proto__":{"limit":5},"constructor":1}'),
        query: '',
      }) as ReadArguments;
      expect(Object.getPrototypeOf(args)).toBeNull();
      expect(Object.keys(args).sort()).toEqual(['__proto__', 'constructor']);
      expect(args['limit']).toBeUndefined();
    });

    it('refuses megabytes of brackets before parsing them, but not brackets in a string', () => {
      const deep = '{"blocks":' + '['.repeat(1_000_000) + ']'.repeat(1_000_000) + '}';
      expect(post('application/json', deep)).toEqual({ args: {}, error: 'invalid_json' });
      expect(post('application/json', JSON.stringify({ text: '\\"[{'.repeat(30_000) })).error).toBeUndefined();
      expect(post('application/json', JSON.stringify({ list: Array(40_000).fill([]) })).error).toBeUndefined();
    });
  });

  describe('urlencoded', () => {
    it('reads names and values; the last value of a name counts, and a trailing [] is dropped', () => {
      expect(post(FORM, 'text=a+b%2Bc%C3%A9&users[]=U1&users%5B%5D=U2&flag&&x=1=2')).toEqual({
        args: { text: 'a b+cé', users: 'U2', flag: '', x: '1=2' },
      });
    });

    it.each(['text=%', 'text=%zz', 'text=%ff', 'te%xt=1', 'text=%C3'])('answers invalid_form_data for %s', (body) => {
      expect(post(FORM, body).error).toBe('invalid_form_data');
    });

    it('answers invalid_form_data for raw bytes that are not UTF-8', () => {
      expect(post(FORM, Buffer.from([0x61, 0x3d, 0xff])).error).toBe('invalid_form_data');
    });

    it('prefers the token of the body', () => {
      expect(post(FORM, 'token=xoxb-body', 'token=xoxb-query').token).toBe('xoxb-body');
      expect(post(FORM, 'token=', 'token=xoxb-query').token).toBe('xoxb-query');
    });

    it('decodes iso-8859-1', () => {
      expect(post(`${FORM}; charset=ISO-8859-1`, Buffer.from('text=caf\xe9+%E9', 'latin1')).args).toEqual({
        text: 'café é',
      });
      expect(post(`${FORM}; charset=iso-8859-1`, 'a=%e').error).toBe('invalid_form_data');
    });

    it('keeps __proto__ as an argument', () => {
      const { args } = readArguments({
        method: 'POST',
        contentType: FORM,
        body: Buffer.from('__proto__=1'),
        query: '',
      }) as ReadArguments;
      expect(Object.keys(args)).toEqual(['__proto__']);
    });
  });

  describe('multipart', () => {
    const read = async (body: FormData | string, contentType?: string) => {
      const request = new Response(body);
      const type = contentType ?? request.headers.get('content-type')!;
      const buffer = Buffer.from(await request.arrayBuffer());
      const result = await readArguments({
        method: 'POST',
        contentType: type,
        body: buffer,
        query: 'limit=3&channel=C2',
      });
      return { ...result, args: { ...result.args } };
    };

    it('reads text parts and the token, and ignores files', async () => {
      const form = new FormData();
      form.set('channel', 'C1');
      form.set('token', 'xoxb-1');
      form.append('file', new Blob(['x']), 'x.txt');
      expect(await read(form)).toEqual({ args: { channel: 'C1', limit: '3' }, token: 'xoxb-1' });
    });

    it.each([
      ['without a boundary', 'multipart/form-data'],
      ['with another boundary', 'multipart/form-data; boundary=other'],
    ])('answers invalid_form_data %s, and keeps the query', async (_, type) => {
      expect(await read('--x\r\nnonsense', type)).toEqual({
        args: { limit: '3', channel: 'C2' },
        error: 'invalid_form_data',
      });
    });
  });

  describe('text/plain', () => {
    it('is read as JSON if it is an object, otherwise as urlencoded, without a token', () => {
      expect(post('text/plain', ' {"a":1,"token":"t"}')).toEqual({ args: { a: 1 } });
      expect(post('text/plain;charset=utf-8', 'a=1&token=t')).toEqual({ args: { a: '1' } });
      expect(post('text/plain', 'a=%').error).toBe('invalid_form_data');
    });
  });

  describe('content type and names', () => {
    it('answers missing_post_type, invalid_post_type and invalid_charset, and keeps the query', () => {
      expect(post(undefined, 'a=1', 'token=t&b=2')).toEqual({
        args: { b: '2' },
        token: 't',
        error: 'missing_post_type',
      });
      expect(post('application/xml', '<a/>', 'b=2')).toEqual({ args: { b: '2' }, error: 'invalid_post_type' });
      expect(post(`${FORM}; charset=utf-16`, 'a=1').error).toBe('invalid_charset');
      expect(post('application/json; charset="UTF-8"; x=y', '{}').error).toBeUndefined();
    });

    it('requires nothing of an empty body or of GET', () => {
      expect(post(undefined, undefined, 'a=1')).toEqual({ args: { a: '1' } });
      expect(post('application/octet-stream', '', 'a=1')).toEqual({ args: { a: '1' } });
      expect(readArguments({ method: 'GET', contentType: 'application/xml', body: undefined, query: 'a=1' })).toEqual({
        args: { a: '1' },
      });
    });

    it('prefers the body over the query, and reads a malformed query leniently', () => {
      expect(post(FORM, 'a=1', 'a=2&b=3&c=100%&d=%ff%26').args).toEqual({ a: '1', b: '3', c: '100%', d: '\uFFFD&' });
    });

    it.each(['a-b=1', 'a%00=1', 'é=1', '=1', `${'a'.repeat(129)}=1`, 'a[0]=1'])(
      'answers invalid_arg_name for %s',
      (form) => {
        expect(post(FORM, form).error).toBe('invalid_arg_name');
        expect(post(undefined, undefined, form).error).toBe('invalid_arg_name');
      },
    );

    it('answers invalid_arg_name for a JSON key too', () => {
      expect(post('application/json', '{"a b":1,"c":2}')).toEqual({ args: { c: 2 }, error: 'invalid_arg_name' });
      expect(post('application/json', `{"${'a'.repeat(128)}":1}`).error).toBeUndefined();
    });
  });
});
