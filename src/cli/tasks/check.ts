import type { Api } from '../kit/api.js';
import { Episode, RefusedStep, type Verdict } from './episode.js';
import type { Step, Task } from './task.js';

/** What one attempt came to. */
type Attempt = Verdict | { readonly refused: string };

async function attempt(api: Api, task: Task, steps: readonly Step[]): Promise<Attempt> {
  const episode = await Episode.start(api, task);
  try {
    await episode.run(steps);
    return await episode.judge();
  } catch (error) {
    if (error instanceof RefusedStep) return { refused: error.message };
    throw error;
  } finally {
    await episode.close();
  }
}

/**
 * What is wrong with a task, in sentences: doing nothing must fail, its solution must pass with the score 1, and what is
 * wrong must fail.
 */
export async function faultsOf(api: Api, task: Task): Promise<string[]> {
  const faults: string[] = [];
  const nothing = await attempt(api, task, []);
  if ('refused' in nothing || nothing.passed) faults.push('doing nothing passes');
  const gold = await attempt(api, task, task.gold);
  if ('refused' in gold) faults.push(`gold: ${gold.refused}`);
  else if (!gold.passed || gold.score !== 1) {
    faults.push(`gold has the score ${gold.score}`, ...gold.failures.map(({ message }) => `gold: ${message}`));
  }
  if (task.wrong) {
    const wrong = await attempt(api, task, task.wrong);
    if ('refused' in wrong) faults.push(`wrong: ${wrong.refused}`);
    else if (wrong.passed) faults.push('wrong passes');
  }
  return faults;
}
