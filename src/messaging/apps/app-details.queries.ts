import { statement } from '../../kernel/database/statement.js';

/*
 * Hand-written: tokens with their last use, and open sockets by the server's clock. Tables of other rooms:
 * socket_connections. They are counted.
 */

/** Provisioning issues new tokens without revoking old ones: only the newest are shown, up to this number. */
const MAX_TOKENS = 100;

export const TOKENS_OF_APP = statement(
  'chat_tokens_of_app',
  `SELECT t.kind, t.expires_at IS NOT NULL AS rotates, t.hint, floor(extract(epoch FROM t.created_at))::bigint AS created,
          floor(extract(epoch FROM u.used_at))::bigint AS "lastUsedAt"
   FROM tokens t LEFT JOIN token_uses u ON u.hash = t.hash
   WHERE t.workspace_id = $1 AND t.app_id = $2 AND t.kind IN ('bot', 'user', 'app') AND t.revoked_at IS NULL
   ORDER BY array_position(ARRAY['bot', 'user', 'app'], t.kind::text), t.created_at DESC, t.hash LIMIT ${MAX_TOKENS}`,
);

export interface TokenRow extends Record<string, unknown> {
  readonly kind: 'bot' | 'user' | 'app';
  readonly rotates: boolean;
  readonly hint: string | null;
  readonly created: number;
  readonly lastUsedAt: number | null;
}

export const OPEN_SOCKETS = statement(
  'chat_open_sockets_of_app',
  `SELECT count(*)::int AS open FROM socket_connections WHERE app_id = $1 AND lease_until > clock_timestamp()`,
);
