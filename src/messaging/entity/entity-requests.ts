import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { screenChanged } from '../events/screen-events.js';
import type { WorkObject } from '../wire/work-objects.js';
import { EntityRequest } from './entity-request.entity.js';
import { PRESENTED_TO_USER } from './entity-requests.queries.js';

/** What an app shows for an opened work object, by the names of the method's arguments. */
export type Presented =
  | { readonly metadata: WorkObject }
  | { readonly error: { readonly status: string } }
  | { readonly user_auth_required: true; readonly user_auth_url: string };

/** What is shown, and where the object was opened. */
export interface ShownDetails {
  readonly triggerId: string;
  readonly appId: string;
  readonly channel: string;
  /** Microseconds. */
  readonly messageTs: number;
  readonly presented: Presented;
}

/** Details of work objects that people asked for (docs/reference/chat.md#work-objects). */
@Injectable()
export class EntityRequests {
  constructor(private readonly db: Db) {}

  async ask(tx: Tx, request: Omit<EntityRequest, 'presented'>): Promise<void> {
    await tx.sql.insert(EntityRequest, { ...request, presented: null });
  }

  /** Null: the trigger is of something else. */
  find(tx: Tx, triggerId: string): Promise<EntityRequest | null> {
    return tx.sql.findOneBy(EntityRequest, { triggerId });
  }

  async present(tx: Tx, tenantId: number, request: EntityRequest, presented: Presented): Promise<void> {
    const { triggerId, workspaceId, appId, userId } = request;
    await tx.sql.update(EntityRequest, { triggerId }, { presented: JSON.stringify(presented) });
    tx.record(screenChanged({ tenantId, workspaceId, appId, userId }));
  }

  /** Null: nothing yet. */
  async presentedFor(triggerId: string): Promise<Presented | null> {
    const row = await this.db.load((entities) => entities.findOneBy(EntityRequest, { triggerId }));
    return row?.presented ? read(row.presented) : null;
  }

  /** Of each app what it presents for the object that the person opened last. */
  async ofUser(workspaceId: string, userId: string): Promise<ShownDetails[]> {
    type Row = Record<string, unknown> & Omit<ShownDetails, 'presented'> & { presented: string };
    const rows = await this.db.read<Row>(PRESENTED_TO_USER, [workspaceId, userId]);
    return rows.map((row) => ({ ...row, presented: read(row.presented) }));
  }
}

const read = (presented: string): Presented => JSON.parse(presented) as Presented;
