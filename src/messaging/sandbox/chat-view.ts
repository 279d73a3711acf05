import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { SandboxViews, type SandboxView } from '../../kernel/sandbox/sandbox-views.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { SandboxEntity } from '../../kernel/sandbox/sandbox-entities.js';
import { chatEntities } from './chat-entities.js';
import { ALIASES, MESSAGES_OF_TENANT, NAMES_OF_TENANT } from './chat-view.queries.js';

/** The chat product's view of a whole sandbox. */
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
    const rows = await this.db.read<{ id: string; name: string }>(NAMES_OF_TENANT, [tenantId, ids]);
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
    const rows = await this.db.read<{ wire: string; channel: string }>(MESSAGES_OF_TENANT, [tenantId, most]);
    return rows.map(({ wire, channel }) => ({ ...(JSON.parse(wire) as object), channel }));
  }
}
