import type { RowClass } from '../../kernel/database/columns.js';
import type { OwnedRow } from '../store/row.js';

/** What labels of all kinds have alike. */
export interface Label extends OwnedRow {
  /** Null: usable in every team; absent where teams have no labels of the kind. */
  teamId?: string | null;
  name: string;
  color: string;
  description: string | null;
  isGroup: boolean;
  parentId: string | null;
  creatorId: string | null;
  lastAppliedAt: Date | null;
  retiredById: string | null;
}

/** Labels of issues, of projects, or of initiatives. */
export interface LabelKind {
  readonly name: 'IssueLabel' | 'ProjectLabel' | 'InitiativeLabel';
  readonly row: RowClass<Label>;
  /** The table of what they are on, which has `label_ids`. */
  readonly on: 'issues' | 'projects' | 'initiatives';
  /** The key of their payloads. */
  readonly key: 'issueLabel' | 'projectLabel' | 'initiativeLabel';
  /** Teams have none of their own. */
  readonly isTeamless?: true;
  url(web: string, urlKey: string, id: string): string;
}
