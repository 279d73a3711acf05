import { ExpectationError } from './errors.js';
import type { MessageWhere } from './sandbox-types.js';
import type { Sandbox } from './sandbox.js';
import type { Where } from './types.js';

/** What a runner's `expect` needs of a matcher's answer. */
export interface Answer {
  pass: boolean;
  message: () => string;
}

/** As far as runners agree on it. */
export interface MatcherContext {
  isNot?: boolean;
}

export interface CallOptions {
  times?: number;
  where?: Where;
  timeoutMs?: number;
}

/** How long something may take that is not to happen, in milliseconds, unless the test says so. */
const NOT_WITHIN_MS = 200;

/** Matchers of a runner's `expect` over a sandbox. `matches` is what the runner has as `toMatchObject`. */
export function sandboxMatchers(matches: (actual: unknown, expected: object) => void) {
  return {
    toHavePosted(this: MatcherContext, sandbox: Sandbox, where: MessageWhere = {}): Promise<Answer> {
      const wanted = withTime(where, this.isNot);
      return held(sandbox, this.isNot, () => sandbox.waitForMessage(wanted), 'such a message was posted');
    },
    toHaveCalled(this: MatcherContext, sandbox: Sandbox, method: string, options: CallOptions = {}): Promise<Answer> {
      const wanted = withTime(options, this.isNot);
      return held(sandbox, this.isNot, () => sandbox.waitForCall(method, wanted), `${method} was called`);
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

/** A wait that fails is an expectation that does not hold; anything else is an error of its own. */
async function held(
  sandbox: Sandbox,
  isNot: boolean | undefined,
  check: () => Promise<unknown>,
  otherwise: string,
): Promise<Answer> {
  const failedBefore = sandbox.failed;
  try {
    await check();
    if (isNot === true) sandbox.failed = true;
    return { pass: true, message: () => otherwise };
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

/** Put into a runner's own interface of matchers. */
export interface SandboxMatchers<R> {
  /** A message like this was posted, or is within the time of a wait. */
  toHavePosted(where?: MessageWhere): R;
  /** A method was called, or is within the time of a wait. */
  toHaveCalled(method: string, options?: CallOptions): R;
  /** The net effect since the baseline has this in it. */
  toHaveChanged(changes: object): R;
}
