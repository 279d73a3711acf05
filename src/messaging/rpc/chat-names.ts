import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { KnownNames, type NamesOfProduct } from '../../kernel/sandbox/known-names.js';
import { EVENT_KINDS, FURTHER_KINDS, MESSAGE_REPLIED } from '../events/event-names.js';
import { APP_NAMES, TARGET_NAMES_OF_TENANT } from './chat-names.queries.js';
import { MethodRegistry } from './method-registry.js';
import { INTERACTION_TYPES } from '../wire/interaction-types.js';

/** What deliveries of commands and interactions are about. */
const ASKED_KINDS = ['slash_command', ...INTERACTION_TYPES];

/** Calls that are no methods of the registry: pages that a browser is led to. */
const PAGES = ['oauth.v2.authorize', 'openid.connect.authorize'];

/** What tests may name of the chat product. */
@Injectable()
export class ChatNames implements NamesOfProduct {
  constructor(
    private readonly db: Db,
    private readonly registry: MethodRegistry,
    names: KnownNames,
  ) {
    names.register(this);
  }

  methods(): string[] {
    return [...this.registry.all.map(({ name }) => name), ...PAGES];
  }

  events(): string[] {
    return [...EVENT_KINDS, MESSAGE_REPLIED, ...FURTHER_KINDS, ...ASKED_KINDS];
  }

  async apps(tenantId: number): Promise<string[]> {
    const rows = await this.db.read<{ id: string; name: string }>(APP_NAMES, [tenantId]);
    return rows.flatMap(({ id, name }) => [id, name]);
  }

  async targets(tenantId: number): Promise<string[]> {
    const rows = await this.db.read<{ id: string; url: string | null }>(TARGET_NAMES_OF_TENANT, [tenantId]);
    return rows.flatMap(({ id, url }) => (url ? [id, url] : [id]));
  }
}
