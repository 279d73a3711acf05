import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { screenChanged } from '../events/screen-events.js';
import type { DialogContent } from '../wire/dialog-content.js';
import { Dialog } from './dialog.entity.js';

/** A dialog as it is stored, with its content read. */
export interface OpenDialog extends Omit<Dialog, 'content'> {
  readonly content: DialogContent;
}

/** Who shows a dialog to whom. */
export interface DialogOwner {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly appId: string;
  readonly userId: string;
}

/** Dialogs that people have open (docs/reference/chat.md#dialogs): one for each app and person, the newest. */
@Injectable()
export class Dialogs {
  constructor(private readonly db: Db) {}

  async open(
    tx: Tx,
    owner: DialogOwner,
    by: { readonly triggerId: string; readonly conversationId: string | null },
    content: DialogContent,
  ): Promise<void> {
    const { tenantId: _, ...place } = owner;
    await tx.sql.delete(Dialog, place);
    await tx.sql.insert(Dialog, { id: newId('V'), ...place, ...by, content: JSON.stringify(content) });
    tx.record(screenChanged(owner));
  }

  /** One that the person has open. */
  async find(workspaceId: string, userId: string, id: string): Promise<OpenDialog | null> {
    const row = await this.db.load((entities) => entities.findOneBy(Dialog, { workspaceId, userId, id }));
    return row && read(row);
  }

  async ofUser(workspaceId: string, userId: string): Promise<OpenDialog[]> {
    const where = { workspaceId, userId };
    return (await this.db.load((entities) => entities.find(Dialog, { where, order: { id: 'ASC' } }))).map(read);
  }

  /** False: it was closed meanwhile. */
  async close(tenantId: number, dialog: OpenDialog): Promise<boolean> {
    const { id, workspaceId, appId, userId } = dialog;
    return this.db.write(async (tx) => {
      const { affected } = await tx.sql.delete(Dialog, { id });
      if (affected) tx.record(screenChanged({ tenantId, workspaceId, appId, userId }));
      return Boolean(affected);
    });
  }
}

const read = (row: Dialog): OpenDialog => ({ ...row, content: JSON.parse(row.content) as DialogContent });
