import { ExpectationError } from './errors.js';
import type { MessageWhere } from './sandbox-types.js';
import type { Sandbox } from './sandbox.js';
import type { Where } from './types.js';

/** The result of a matcher, as a test runner's `expect` needs it. */
export interface Answer {
  pass: boolean;
  message: () => string;
}

/** The part of the matcher context that all runners share. */
export interface MatcherContext {
  isNot?: boolean;
}

export interface CallOptions {
  times?: number;
  where?: Where;
  timeoutMs?: number;
}

/** How long a negated matcher waits before it passes, in milliseconds, unless the test says otherwise. */
const NOT_WITHIN_MS = 200;

/** Custom matchers for a runner's `expect` on a sandbox. `matches` is the runner's `toMatchObject`. */
export function sandboxMatchers(matches: (actual: unknown, expected: object) => void) {
  return {
    toHavePosted(this: MatcherContext, sandbox: Sandbox, where: MessageWhere = {}): Promise<Answer> {
      const wanted = withTime(where, this.isNot);
      return held(sandbox, this.isNot, () => sandbox.waitForMessage(wanted), 'expected no such message to be posted');
    },
    toHaveCalled(this: MatcherContext, sandbox: Sandbox, method: string, options: CallOptions = {}): Promise<Answer> {
      const wanted = withTime(options, this.isNot);
      return held(sandbox, this.isNot, () => sandbox.waitForCall(method, wanted), `expected no call of ${method}`);
    },
    async toHaveChanged(this: MatcherContext, sandbox: Sandbox, changes: object) {
      const actual = await sandbox.changes();
      const { pass, why } = tried(() => matches(actual, changes));
      if (!pass && this.isNot !== true) sandbox.failed = true;
      return {
        pass,
        message: () => (pass ? `expected no changes like ${JSON.stringify(changes)}` : why),
        actual,
        expected: changes,
      };
    },
  };
}

const withTime = <T extends { timeoutMs?: number }>(options: T, isNot: boolean | undefined): T =>
  isNot === true ? { timeoutMs: NOT_WITHIN_MS, ...options } : options;

/**
 * A wait that timed out is a failed expectation; any other error is rethrown. What a negated expectation found is shown
 * after `otherwise`, with the timeline.
 */
async function held(
  sandbox: Sandbox,
  isNot: boolean | undefined,
  check: () => Promise<unknown>,
  otherwise: string,
): Promise<Answer> {
  const failedBefore = sandbox.failed;
  try {
    const found = await check();
    if (isNot !== true) return { pass: true, message: () => otherwise };
    const { message } = await sandbox.failure([`${otherwise}, but there was ${JSON.stringify(found)}`]);
    return { pass: true, message: () => message };
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    if (isNot === true) sandbox.failed = failedBefore;
    return { pass: false, message: () => error.message };
  }
}

function tried(check: () => void): { pass: boolean; why: string } {
  try {
    check();
    return { pass: true, why: '' };
  } catch (error) {
    return { pass: false, why: (error as Error).message };
  }
}

/** Merged into the runner's own matcher interface. */
export interface SandboxMatchers<R> {
  /** A message like this was posted, or is posted before the timeout. */
  toHavePosted(where?: MessageWhere): R;
  /** A method was called, or is called before the timeout. */
  toHaveCalled(method: string, options?: CallOptions): R;
  /** The net changes since the baseline include this. */
  toHaveChanged(changes: object): R;
}
