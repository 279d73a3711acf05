import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/text/canonical-json.js';

describe('the canonical text of a JSON value', () => {
  it('is that of the example in RFC 8785', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('has members in the order of their UTF-16 code units, at every depth', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const value = { a: Object.fromEntries(names.map((name) => [name, 0])) };
    expect(Object.keys((JSON.parse(canonicalJson(value)) as typeof value).a)).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], a: undefined })).toBe('{"b":[{"a":2,"z":1}]}');
  });
});
