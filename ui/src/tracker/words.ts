import { wordsFor } from '../api/errors.js';
import { ApiError } from '../api/errors.js';
import { say } from '../kit/toasts.js';

export const PRIORITIES = ['No priority', 'Urgent', 'High', 'Medium', 'Low'] as const;

export const priorityName = (priority: number): string => PRIORITIES[priority] ?? 'No priority';

/** Urgent first, no priority last. */
export const byPriority = (a: { priority: number }, b: { priority: number }): number =>
  (a.priority || 5) - (b.priority || 5);

const SESSION: Readonly<Record<string, string>> = {
  pending: 'Waiting',
  active: 'Working',
  awaitingInput: 'Needs input',
  complete: 'Complete',
  error: 'Failed',
  stopping: 'Stopping',
  stale: 'Stale',
};

export const sessionWords = (status: string): string => SESSION[status] ?? status;

export const sessionTone = (status: string): 'plain' | 'ok' | 'warn' | 'bad' | 'accent' => {
  if (status === 'complete') return 'ok';
  if (status === 'error') return 'bad';
  if (status === 'awaitingInput' || status === 'stale') return 'warn';
  return status === 'active' ? 'accent' : 'plain';
};

export const HEALTH: Readonly<Record<string, string>> = {
  onTrack: 'On track',
  atRisk: 'At risk',
  offTrack: 'Off track',
};

const REFUSALS: Readonly<Record<string, string>> = {
  issue_not_found: 'This issue does not exist, or you cannot see it.',
  comment_not_found: 'The comment is gone.',
  session_not_found: 'The session is gone.',
  session_dismissed: 'The agent was taken off this issue.',
  forbidden: 'Only the author can do that.',
  project_not_found: 'This project does not exist, or you cannot see it.',
};

export const refusal = (error: unknown): string =>
  (error instanceof ApiError ? REFUSALS[error.code] : undefined) ?? wordsFor(error);

export const complain = (error: unknown): void => void say(refusal(error), { tone: 'bad' });

export const percent = (progress: number): string => `${Math.round(progress * 100)} %`;
