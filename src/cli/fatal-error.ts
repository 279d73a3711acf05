import { writeSync } from 'node:fs';
import { SettingsError } from '../kernel/config/settings.js';
import { StoreError } from '../kernel/database/store-error.js';
import { redacted } from '../kernel/log/log.js';

/** An error that the user can correct: shown as its message alone, without a stack. */
export class OperatorError extends Error {}

type SystemError = Error & { code?: string; syscall?: string; address?: string; port?: number; path?: string };

/** What to print about an error that ends the process: one line per fault when the remedy is known. */
export function errorLines(error: unknown): string {
  const { code, syscall, address, port, path, message, stack } = error as SystemError;
  if (error instanceof SettingsError || error instanceof StoreError || error instanceof OperatorError) return message;
  if (syscall === 'listen') {
    const where = `${address ?? ''}:${port ?? ''}`;
    if (code === 'EADDRINUSE')
      return `${where} is in use: stop the program that listens there, or set PORT to another port`;
    if (code === 'EACCES') return `this user may not listen on ${where}: set PORT to 1024 or more`;
    return `cannot listen on ${where} (${code}): check HOST`;
  }
  if (syscall === 'getaddrinfo')
    return `cannot listen on ${String((error as { hostname?: string }).hostname)}: check HOST`;
  if (syscall === 'open' && path !== undefined) return `cannot read ${path} (${code}): check the settings that name it`;
  return redacted(stack ?? String(error));
}

/** Ends the process with code 1. Writes synchronously: buffered output would be lost. */
export function exitWithError(error: unknown): never {
  for (const line of errorLines(error).split('\n')) writeSync(2, `understudy: ${line}\n`);
  process.exit(1);
}
