import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { SandboxViews, type SandboxView } from '../../kernel/sandbox/sandbox-views.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { SandboxEntity } from '../../kernel/sandbox/sandbox-entities.js';
import { messageWire } from '../wire/message-wire.js';
import { chatEntities } from './chat-entities.js';

/** Channels and people by id or name: what each of $2 stands for besides. */
const ALIASES = statement(
  'chat_aliases',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (value)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1 AND deleted_at IS NULL)
   SELECT a.value, c.id AS one, c.name AS other FROM ws JOIN conversations c ON c.workspace_id = ws.id
     JOIN asked a ON a.value IN (c.id, c.name) AND c.name IS NOT NULL
   UNION ALL
   SELECT a.value, u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.value IN (u.id, u.name)`,
);

const MESSAGES = statement(
  'chat_view_messages',
  `SELECT ${messageWire('m', 'NULL::text[]', 'true')} AS wire, m.conversation_id AS channel
     FROM workspaces w JOIN conversations c ON c.workspace_id = w.id JOIN messages m ON m.conversation_id = c.id
    WHERE w.tenant_id = $1 AND w.deleted_at IS NULL ORDER BY m.ts DESC LIMIT $2`,
);

const NAMES = statement(
  'chat_names',
  `WITH asked AS (SELECT * FROM unnest($2::text[]) v (id)),
   ws AS (SELECT id FROM workspaces WHERE tenant_id = $1)
   SELECT c.id, c.name FROM asked a JOIN conversations c ON c.id = a.id JOIN ws ON ws.id = c.workspace_id WHERE c.name IS NOT NULL
   UNION ALL
   SELECT u.id, u.name FROM ws JOIN users u ON u.workspace_id = ws.id JOIN asked a ON a.id = u.id
   UNION ALL
   SELECT p.id, p.name FROM asked a JOIN apps p ON p.id = a.id JOIN ws ON ws.id = p.workspace_id`,
);

/** What the chat product shows of a whole sandbox. */
@Injectable()
export class ChatView implements SandboxView {
  readonly entities: readonly SandboxEntity[];

  constructor(
    private readonly db: Db,
    views: SandboxViews,
    publicUrl: PublicUrl,
  ) {
    this.entities = chatEntities(publicUrl);
    views.register(this);
  }

  async names(tenantId: number, ids: readonly string[]): Promise<[string, string][]> {
    const rows = await this.db.read<{ id: string; name: string }>(NAMES, [tenantId, ids]);
    return rows.map(({ id, name }) => [id, name]);
  }

  async aliases(tenantId: number, values: readonly string[]): Promise<[string, string][]> {
    const rows = await this.db.read<{ value: string; one: string; other: string }>(ALIASES, [tenantId, values]);
    return rows.flatMap(({ value, one, other }): [string, string][] => [
      [value, one],
      [value, other],
    ]);
  }

  async messages(tenantId: number, most: number): Promise<Record<string, unknown>[]> {
    const rows = await this.db.read<{ wire: string; channel: string }>(MESSAGES, [tenantId, most]);
    return rows.map(({ wire, channel }) => ({ ...(JSON.parse(wire) as object), channel }));
  }
}
