import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { OperatorError } from '../fatal-error.js';

const UNITS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90s`, `1h30m`, `2d` or a number of seconds. @throws InvalidArgumentError (exit code 2) */
export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError('must be a time such as 90s, 15m, 1h30m or 2d');
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit as string] as number), 0);
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

/** Collects `--label key=value`, which may be repeated. */
export function label(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be a label such as key=value');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`not valid JSON: ${(error as Error).message}`);
  }
}

/**
 * Reads a document from a file, or from standard input for `-`: JSON is parsed to an object, any other text is taken as
 * YAML and kept.
 */
export function documentFrom(file: string): object | string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // not JSON, so YAML
  }
  return text;
}
