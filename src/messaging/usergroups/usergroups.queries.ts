import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { Usergroup } from '../store/usergroup.entity.js';

/* Hand-written: names of several tables in one statement, and lists in the order of the wire. */

/** Whether a name is another group's, and a handle another group's, a person's or a public channel's. $4: the group. */
export const TAKEN = statement(
  'usergroups_taken',
  `SELECT EXISTS (SELECT FROM usergroups g WHERE g.workspace_id = $1 AND g.name = $2 AND g.id <> $4) AS name,
     EXISTS (SELECT FROM usergroups g WHERE g.workspace_id = $1 AND g.handle = $3 AND g.id <> $4)
     OR EXISTS (SELECT FROM users u WHERE u.workspace_id = $1 AND u.name = $3)
     OR EXISTS (SELECT FROM conversations c WHERE c.workspace_id = $1 AND c.name = $3 AND c.type = 'public') AS handle`,
);

/** The channels among $3 that the user $2 may see. */
export const CHANNELS = statement(
  'usergroups_channels',
  `SELECT c.id, c.type FROM conversations c
   WHERE c.workspace_id = $1 AND c.id = ANY($3::text[]) AND (c.type = 'public' OR (c.type = 'private' AND EXISTS (
     SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2)))`,
);

/** $2: disabled ones too. */
export const GROUPS = statement(
  'usergroups_list',
  `SELECT ${columnsOf(Usergroup, 'g')} FROM usergroups g
   WHERE g.workspace_id = $1 AND ($2 OR g.deleted_at IS NULL) ORDER BY g.name, g.id`,
);

/** Groups of a workspace are made and renamed one after the other: their names are compared with those of other tables. */
export const LOCK_GROUPS = statement('usergroups_lock', 'SELECT FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE');
