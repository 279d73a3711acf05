import type { Origin } from '../../kernel/events/event.js';
import type { Viewer } from '../access/viewer.js';
import type { IssueCreateInput } from './issues.inputs.js';

/** An issue that somebody wants to be made. */
export interface Creation {
  viewer: Viewer;
  input: IssueCreateInput;
  now: Date;
  origin: Origin;
}
