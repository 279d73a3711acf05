import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newHex } from '../../kernel/ids/ids.js';
import type { Caller } from '../access/conversation-access.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { formatTs } from '../store/message-ts.js';
import { MessagingError } from '../wire/codes.js';
import type { FileRow } from '../wire/file-wire.js';
import { wireFiles } from '../wire/file-wire.queries.js';
import { StoredFile } from './file.entity.js';
import { filePublic } from './files.events.js';
import { MAKE_PUBLIC, SHARED_IN, VISIBLE } from './files.queries.js';
import { fileUrls } from '../wire/chat-urls.js';

type Row = FileRow & Record<string, unknown>;

/** Public URLs of files: whoever has one gets the bytes (file-transfer.ts). */
@Injectable()
export class PublicFilesService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** Again: the same URL, and no event. */
  async share(caller: Caller, fileId: string): Promise<Answer> {
    const file = await this.db.write(async (tx) => {
      const found = await this.visible(tx, caller, fileId);
      const [made] = await tx.query<{ publicSecret: string }>(MAKE_PUBLIC, [found.id, newHex(10)]);
      if (!made) throw new MessagingError('file_not_found');
      if (found.publicSecret === null) {
        const places = await tx.query<{ id: string }>(SHARED_IN, [found.id]);
        tx.record(
          filePublic({
            tenantId: caller.tenantId,
            workspaceId: caller.workspaceId,
            fileId: found.id,
            userId: caller.userId,
            appId: found.appId ?? undefined,
            channels: places.map(({ id }) => id),
            eventTs: formatTs(this.clock.nowMicros()),
          }),
        );
      }
      return { ...found, ...made };
    });
    return this.answer(caller, file);
  }

  async revoke(caller: Caller, fileId: string): Promise<Answer> {
    const file = await this.db.write(async (tx) => {
      const found = await this.visible(tx, caller, fileId);
      await tx.sql.update(StoredFile, { id: found.id }, { publicSecret: null });
      return { ...found, publicSecret: null };
    });
    return this.answer(caller, file);
  }

  private async visible(tx: Tx, caller: Caller, fileId: string): Promise<Row> {
    const [file] = await tx.query<Row>(VISIBLE, [caller.workspaceId, fileId, caller.userId]);
    if (!file || file.state === 'deleted') throw new MessagingError('file_not_found');
    return file;
  }

  private async answer(caller: Caller, file: Row): Promise<Answer> {
    const [shown] = await wireFiles(this.db, [file], {
      viewer: caller.userId,
      urls: fileUrls(this.publicUrl.base, caller),
    });
    return { file: shown };
  }
}
