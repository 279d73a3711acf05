import { isShown } from '../../store/hidden-teams.js';
import type { QueryScope } from '../../store/query-scope.js';
import type { IssueRelationType } from './issue-relation.entity.js';

/* Hand-written: a part of conditions on issues. */

/** Which end of its relations an issue is. */
type End = 'issue' | 'related' | 'either';

/** As SQL: the issue has a relation of this type to one that the caller sees. */
export const hasRelation =
  (type: keyof typeof IssueRelationType, end: End) =>
  (alias: string, scope: QueryScope): string => {
    const from = (own: string, other: string): string => {
      const hidden = scope.hiddenTeams;
      const seen = hidden ? ` AND ${isShown('o.team_id', hidden)}` : '';
      return `EXISTS (SELECT 1 FROM issue_relations r JOIN issues o ON o.id = r.${other}
        WHERE r.${own} = ${alias}.id AND r.type = '${type}'${seen})`;
    };
    const [issue, related] = [from('issue_id', 'related_issue_id'), from('related_issue_id', 'issue_id')];
    return end === 'issue' ? issue : end === 'related' ? related : `(${issue} OR ${related})`;
  };
