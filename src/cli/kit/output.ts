/** Output of the commands: data goes to standard output, everything else to standard error. */

const isColourful = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '';

const paint =
  (code: number) =>
  (text: string): string =>
    isColourful(process.stdout) ? `\x1b[${code}m${text}\x1b[0m` : text;

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints to standard error, so that a script reading the data does not get it. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints rows in columns as wide as their widest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, n) => Math.max(title.length, ...rows.map((row) => (row[n] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, n) => cell.padEnd(widths[n] as number))
      .join('  ')
      .trimEnd();
  printLine(bold(line(header)));
  for (const row of rows) printLine(line(row));
}

/**
 * On a terminal, shows that something is in progress and for how long; prints nothing elsewhere. The line is removed at
 * the end.
 */
export async function withProgress<T>(what: string, work: () => Promise<T>): Promise<T> {
  if (process.stderr.isTTY !== true) return work();
  const began = Date.now();
  const show = (): void => {
    const seconds = Math.round((Date.now() - began) / 1000);
    process.stderr.write(`\r${what} …${seconds === 0 ? '' : ` ${seconds} s`}`);
  };
  show();
  const timer = setInterval(show, 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.stderr.write('\r\x1b[K');
  }
}
