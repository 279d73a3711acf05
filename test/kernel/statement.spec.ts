import { describe, expect, it } from 'vitest';
import { statement, StatementShapes } from '../../src/kernel/database/statement.js';

describe('statements that are built at run time', () => {
  it('have names for a limited number of shapes, and none beyond, so that process and store keep no more', () => {
    const shapes = new StatementShapes('spec_shapes', 3);
    const names = Array.from({ length: 1_000 }, (_, i) => shapes.of(`${i}`, () => `SELECT ${i}`).name);
    expect(new Set(names)).toEqual(new Set(['spec_shapes_0', 'spec_shapes_1', 'spec_shapes_2', '']));
    expect(shapes.of('2', () => 'SELECT 2').name).toBe('spec_shapes_2');
    expect(shapes.of('999', () => 'SELECT 999')).toEqual({ name: '', text: 'SELECT 999' });
  });

  it('never share a name with a different text', () => {
    statement('spec_one_text', 'SELECT 1');
    expect(() => statement('spec_one_text', 'SELECT 2')).toThrow('two statements are named spec_one_text');
  });
});
