import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { UsersAccess } from '../access/users-access.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MessagingError } from '../wire/codes.js';
import type { FileRow } from '../wire/file-wire.js';
import { wireFiles } from '../wire/file-wire.queries.js';
import { FILE_KINDS, type FilesListArgs } from './files.dto.js';
import { COUNT_LISTED, FILES } from './files.queries.js';
import { fileUrls } from '../wire/chat-urls.js';

/** files.list: the files that a caller may see, the newest first. */
@Injectable()
export class FileListsService {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly users: UsersAccess,
    private readonly conversations: ConversationAccess,
  ) {}

  async list(caller: Caller, args: FilesListArgs): Promise<Answer> {
    const { channel, user, count, page } = args;
    if (user !== undefined && !(await this.users.facts(caller, [user])).has(user)) {
      throw new MessagingError('user_not_found');
    }
    const kinds = args.types ?? ['all'];
    if (!kinds.every((kind) => Object.hasOwn(FILE_KINDS, kind))) throw new MessagingError('unknown_type');
    if (channel !== undefined && !(await this.conversations.find(caller, channel))) {
      throw new MessagingError('channel_not_found');
    }
    const wanted = [
      caller.workspaceId,
      caller.userId,
      channel === undefined ? null : [channel],
      user ?? null,
      args.ts_from ?? null,
      args.ts_to ?? null,
      kinds.includes('all') ? null : patternOf(kinds),
      kinds.includes('snippets'),
    ];
    const [counted] = await this.db.read<{ total: number }>(COUNT_LISTED, wanted);
    const total = counted?.total ?? 0;
    const values = [...wanted, count, (page - 1) * count];
    const rows = await this.db.read<FileRow & Record<string, unknown>>(FILES, values);
    const seen = { viewer: caller.userId, urls: fileUrls(this.publicUrl.base, caller) };
    return {
      files: await wireFiles(this.db, rows, seen),
      paging: { count, total, page, pages: Math.ceil(total / count) },
    };
  }
}

/** Fits names of these kinds; without extensions it fits none. */
function patternOf(kinds: readonly string[]): string {
  const extensions = kinds.flatMap((kind) => FILE_KINDS[kind] ?? []);
  return extensions.length === 0 ? '$^' : `\\.(${extensions.join('|')})$`;
}
