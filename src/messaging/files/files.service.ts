import { Inject, Injectable } from '@nestjs/common';
import { pageEnd } from '../rpc/cursor.js';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newAlphanumeric, newId, sha256Hex } from '../../kernel/ids/ids.js';
import { ConversationAccess, type Caller } from '../access/conversation-access.js';
import { isAdmin, type VisibleConversation } from '../access/identity.js';
import { authorOf, ChatService } from '../chat/chat.service.js';
import { eventPlaceOf } from '../events/define-chat-event.js';
import { ArgumentError } from '../rpc/args/parse-args.js';
import { Fault, toArray } from '../rpc/args/coerce.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { formatTs, parseTs } from '../store/message-ts.js';
import { checkBlocks, type Block } from '../wire/blocks.js';
import { MessagingError } from '../wire/codes.js';
import {
  MAX_CHANNELS,
  type FilesCompleteUploadExternalArgs,
  type FilesDeleteArgs,
  type FilesGetUploadURLExternalArgs,
  type FilesInfoArgs,
} from './files.dto.js';
import { fileCreated, fileDeleted, fileShared } from './files.events.js';
import {
  MARK_DELETED_IN_MESSAGES,
  COMPLETE,
  CONTENT_SWEEP,
  DELETE_FILE,
  HOLD_WORKSPACE,
  INSERT_FILE,
  SHARE,
  SHARED_IN,
  SWEEP_FILES,
  TOTAL,
  UPLOADED,
  VISIBLE,
} from './files.queries.js';
import { wireFiles } from '../wire/file-wire.queries.js';
import { newShare, toWireFile, type FileRow, type ShareRow } from '../wire/file-wire.js';
import { filesUrl, fileUrls } from '../wire/chat-urls.js';

const UPLOAD_MS = 10 * 60_000;
const COMPLETE_MS = 60 * 60_000;

type Row = FileRow & Record<string, unknown>;

/** Files by the upload flow of the SDKs: a slot, the bytes (file-transfer.ts), then sharing. */
@Injectable()
export class FilesService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly conversations: ConversationAccess,
    private readonly chat: ChatService,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting files', 60_000, async (stopped) => {
      const now = new Date(this.clock.wallMs());
      while (!stopped() && (await this.db.run(SWEEP_FILES, [now])).length > 0);
      while (!stopped() && (await CONTENT_SWEEP.run(this.db)) > 0);
    });
  }

  async place(caller: Caller, args: FilesGetUploadURLExternalArgs): Promise<Answer> {
    const secret = newAlphanumeric(48);
    const id = newId('F');
    if (args.length > this.settings.fileMaxBytes) throw new MessagingError('file_upload_size_restricted');
    await this.db.write(async (tx) => {
      await tx.query(HOLD_WORKSPACE, [caller.workspaceId]);
      const [used] = await tx.query<{ total: number }>(TOTAL, [caller.workspaceId]);
      if (Number(used?.total ?? 0) + args.length > this.settings.filesMaxTotalBytes) {
        throw new MessagingError('file_upload_size_restricted');
      }
      await tx.query(INSERT_FILE, [
        id,
        caller.workspaceId,
        caller.app?.id ?? null,
        caller.userId,
        args.filename,
        args.alt_txt ?? null,
        args.length,
        sha256Hex(secret),
        this.clock.nowMicros(),
        new Date(this.clock.wallMs() + UPLOAD_MS),
        new Date(this.clock.wallMs() + COMPLETE_MS),
      ]);
    });
    return { upload_url: `${filesUrl(this.publicUrl.base, caller.sandbox)}/upload/v1/${secret}`, file_id: id };
  }

  /** All or nothing. */
  async complete(caller: Caller, args: FilesCompleteUploadExternalArgs): Promise<Answer> {
    const ids = [...new Set(args.files.map(({ id }) => id))];
    if (ids.length < args.files.length) throw new MessagingError('file_not_found');
    const sent = [...new Set([...(args.channel_id ? [args.channel_id] : []), ...(args.channels ?? [])])];
    const channels = await this.withDirectMessages(caller, sent);
    const { files, shares } = await this.db.write(async (tx) => {
      const rows = await tx.query<Row>(UPLOADED, [
        caller.workspaceId,
        ids,
        caller.app?.id ?? null,
        caller.userId,
        new Date(this.clock.wallMs()),
      ]);
      if (rows.length < ids.length) throw new MessagingError('file_not_found');
      if (channels.length > MAX_CHANNELS) throw new MessagingError('channels_limit_exceeded');
      const conversations = await this.lockAll(tx, caller, channels);
      const blocks = args.initial_comment ? undefined : readBlocks(args.sentBlocks);
      const titles = new Map(args.files.map(({ id, title }) => [id, title]));
      await tx.query(COMPLETE, [ids, ids.map((id) => titles.get(id) ?? null)]);
      const byId = new Map(rows.map((row) => [row.id, { ...row, title: titles.get(row.id) ?? row.title }]));
      const made = ids.map((id) => byId.get(id) as Row);
      const eventTs = formatTs(this.clock.nowMicros());
      for (const file of made) {
        tx.record(
          fileCreated({
            tenantId: caller.tenantId,
            workspaceId: caller.workspaceId,
            fileId: file.id,
            userId: caller.userId,
            appId: caller.app?.id,
            channels,
            eventTs,
          }),
        );
      }
      const content = await this.chat.content(caller, { text: args.initial_comment, blocks });
      const sharesSoFar: ShareRow[] = [];
      for (const conversation of conversations) {
        const eventPlace = eventPlaceOf(caller, conversation);
        const { ts } = await this.chat.postIn(tx, eventPlace, {
          author: authorOf(caller, {}, this.chat.baseUrl),
          content,
          memberId: caller.userId,
          subtype: 'file_share',
          threadTs: args.thread_ts,
          attach: (own) => ({
            files: made.map((file) =>
              toWireFile(file, [...sharesSoFar, newShare(conversation, own)], fileUrls(this.publicUrl.base, caller)),
            ),
            upload: false,
          }),
        });
        sharesSoFar.push(newShare(conversation, ts));
        await tx.query(SHARE, [ids, conversation.id, parseTs(ts)]);
        for (const { id } of made) tx.record(fileShared({ ...eventPlace, fileId: id, userId: caller.userId, eventTs }));
      }
      return { files: made, shares: sharesSoFar };
    });
    return { files: files.map((file) => toWireFile(file, shares, fileUrls(this.publicUrl.base, caller))) };
  }

  async info(caller: Caller, args: FilesInfoArgs): Promise<Answer> {
    const [file] = await this.db.read<Row>(VISIBLE, [caller.workspaceId, args.file, caller.userId]);
    if (!file) throw new MessagingError('file_not_found');
    if (file.state === 'deleted') throw new MessagingError('file_deleted');
    const [shown] = await wireFiles(this.db, [file], {
      viewer: caller.userId,
      urls: fileUrls(this.publicUrl.base, caller),
    });
    return {
      file: shown,
      comments: [],
      paging: { count: 100, total: 0, page: 1, pages: 0 },
      ...pageEnd(),
    };
  }

  /** In messages it leaves a tombstone. */
  async delete(caller: Caller, args: FilesDeleteArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const [file] = await tx.query<Row>(VISIBLE, [caller.workspaceId, args.file, caller.userId]);
      if (!file) throw new MessagingError('file_not_found');
      if (file.state === 'deleted') throw new MessagingError('file_deleted');
      const mayDelete = file.userId === caller.userId || (caller.kind !== 'bot' && isAdmin(caller));
      if (!mayDelete) throw new MessagingError('cant_delete_file');
      const places = await tx.query<{ id: string }>(SHARED_IN, [file.id]);
      await tx.query(MARK_DELETED_IN_MESSAGES, [file.id]);
      if ((await tx.query(DELETE_FILE, [file.id])).length === 0) throw new MessagingError('file_deleted');
      tx.record(
        fileDeleted({
          tenantId: caller.tenantId,
          workspaceId: caller.workspaceId,
          fileId: file.id,
          channels: places.map(({ id }) => id),
          eventTs: formatTs(this.clock.nowMicros()),
        }),
      );
    });
  }

  /** The direct messages with the users among them, made where they are missing; a user who cannot be written to stays an id. */
  private async withDirectMessages(caller: Caller, ids: readonly string[]): Promise<string[]> {
    if (ids.length > MAX_CHANNELS) return [...ids];
    const found: string[] = [];
    for (const id of ids) {
      const isUser = USER_ID.test(id);
      const destination = isUser ? await this.chat.destination(caller, id).catch(unlessRefused) : null;
      found.push(destination?.conversation.id ?? id);
    }
    return [...new Set(found)];
  }

  /**
   * Locks in the order of ids; records events in the order of the arguments.
   * @throws MessagingError in the order of the codes
   */
  private async lockAll(tx: Tx, caller: Caller, channels: readonly string[]): Promise<VisibleConversation[]> {
    if (channels.some((id) => !/^[CDGU][0-9A-Z]{1,30}$/.test(id))) throw new MessagingError('invalid_channel');
    const found = new Map<string, VisibleConversation>();
    for (const id of channels.toSorted()) found.set(id, await this.conversations.forUpdate(tx, caller, id));
    const all = channels.map((id) => found.get(id) as VisibleConversation);
    if (all.some(({ isMember }) => !isMember)) throw new MessagingError('not_in_channel');
    if (all.some(({ isArchived }) => isArchived)) throw new MessagingError('is_archived');
    return all;
  }
}

const USER_ID = /^U[0-9A-Z]{1,30}$/;

function unlessRefused(error: unknown): null {
  if (error instanceof MessagingError) return null;
  throw error;
}

/** @throws ArgumentError invalid_blocks */
function readBlocks(sent: unknown): Block[] | undefined {
  const list = toArray(sent);
  if (list === undefined) return undefined;
  const checked = list instanceof Fault ? null : checkBlocks(list);
  if (!checked || 'error' in checked) throw new ArgumentError('invalid_blocks', checked?.messages);
  return checked.blocks;
}
