export interface Instruction {
  readonly name: string;
  /** The line after the instruction's name. */
  readonly text: string;
}

/** The instructions of a Dockerfile. @throws Error on syntax that it does not support: continued lines */
export function parseDockerfile(text: string): Instruction[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, rest] = /^([A-Z]+) (.+[^\\])$/.exec(line) ?? [];
      if (name === undefined || rest === undefined) throw new Error(`not an instruction we know: ${line}`);
      return { name, text: rest };
    });
}

/**
 * Whether .dockerignore includes a path: all are excluded except those named with `!`. @throws Error on other
 * patterns
 */
export function parseDockerignore(text: string): (path: string) => boolean {
  const [first, ...kept] = text.split('\n').filter((line) => line !== '');
  if (first !== '*') throw new Error('.dockerignore must begin by leaving out everything');
  const paths = kept.map((line) => {
    if (!/^![\w./-]+$/.test(line)) throw new Error(`not a pattern we know: ${line}`);
    return line.slice(1);
  });
  return (path) => paths.some((keep) => path === keep || path.startsWith(`${keep}/`));
}
