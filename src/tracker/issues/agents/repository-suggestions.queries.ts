import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: the texts of an issue, its comments and attachments, joined. */

export interface SuggestionTexts extends Record<string, unknown> {
  readonly urls: string[];
  /** Title, description and comments. */
  readonly said: string;
  /** Title, labels, project and team. */
  readonly around: string;
}

/** The texts by which repositories are found for an issue ($1); of its comments the newest 200. */
export const SUGGESTION_TEXTS = statement(
  'tracker_repository_texts',
  `SELECT ARRAY(SELECT a.url FROM attachments a WHERE a.issue_id = i.id) AS urls,
     concat_ws(' ', i.title, i.description,
       (SELECT string_agg(c.body, ' ') FROM (SELECT body FROM comments WHERE issue_id = i.id ORDER BY created_at DESC LIMIT 200) c)) AS said,
     concat_ws(' ', i.title, t.name, p.name,
       (SELECT string_agg(l.name, ' ') FROM issue_labels l WHERE l.id = ANY(i.label_ids))) AS around
   FROM issues i JOIN teams t ON t.id = i.team_id LEFT JOIN projects p ON p.id = i.project_id WHERE i.id = $1::uuid`,
);
