import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** After a second signal the child has this long, in milliseconds. */
const PATIENCE_MS = 10_000;

export interface ChildEnd {
  /** As a shell gives it: the child's own, 128 + n for a signal, 127 not found, 126 not executable. */
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly failure?: string;
}

const isOnTerminal = (): boolean => [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);

/**
 * Runs a command, without a shell, in this process group and on this terminal, and waits for its end. Signals are passed
 * on to it; this process outlives it.
 */
export function runChild([program, ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildEnd> {
  // nothing is called nothing; it could not even be asked for
  if (program === '') return Promise.resolve({ code: 127, signal: null, failure: 'an empty name was not found' });
  return new Promise((resolve) => {
    const child = spawn(program as string, args, { env, stdio: 'inherit' });
    let signals = 0;
    let last: NodeJS.Timeout | undefined;
    const passOn = (signal: NodeJS.Signals): void => {
      signals += 1;
      // Ctrl-C on a terminal has reached the child already: it is in the same process group
      if (signal !== 'SIGINT' || !isOnTerminal()) child.kill(signal);
      if (signals === 2) last = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref();
    };
    for (const signal of PASSED_ON) process.on(signal, passOn);
    const ended = (end: ChildEnd): void => {
      clearTimeout(last);
      // what comes later is for nobody: cleaning up goes on
      for (const signal of PASSED_ON) process.off(signal, passOn).on(signal, () => undefined);
      resolve(end);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'ENOENT';
      ended({
        code: isAbsent ? 127 : 126,
        signal: null,
        failure: `${program} ${isAbsent ? 'was not found' : `cannot be run (${error.code})`}`,
      });
    });
    child.once('exit', (code, signal) =>
      ended({ code: code ?? 128 + constants.signals[signal as NodeJS.Signals], signal }),
    );
  });
}
