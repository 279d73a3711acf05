import type { ConversationType } from '../store/conversation.entity.js';
import { wireOfDetails, type FileDetails } from './file-details.js';
import { fileTypeOf } from './file-types.js';
import type { FileUrls } from './chat-urls.js';

/** A file as it is stored. */
export interface FileRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly appId: string | null;
  readonly userId: string;
  readonly state: 'slot' | 'uploaded' | 'complete' | 'deleted';
  readonly name: string;
  readonly title: string;
  readonly altText: string | null;
  readonly size: number;
  readonly contentHash: string | null;
  readonly details: FileDetails | null;
  /** The secret part of its public URL; null: it has none. */
  readonly publicSecret: string | null;
  /** Microseconds. */
  readonly createdAt: number;
}

/** Where a message shows a file. */
export interface ShareRow {
  readonly channel: string;
  readonly type: ConversationType;
  readonly channelName: string | null;
  /** Wire form. */
  readonly ts: string;
  readonly threadTs: string | null;
  readonly replyUsers: readonly string[];
  readonly replyUsersCount: number;
  readonly replyCount: number;
}

/** A message that shows it and has no replies yet. */
export const newShare = (
  conversation: { id: string; type: ConversationType; name: string | null },
  ts: string,
): ShareRow => ({
  channel: conversation.id,
  type: conversation.type,
  channelName: conversation.name,
  ts,
  threadTs: null,
  replyUsers: [],
  replyUsersCount: 0,
  replyCount: 0,
});

const publicUrlOf = ({ workspaceId, id }: FileRow, secret: string, baseUrl: string): string =>
  `${baseUrl}/files-public/${workspaceId}-${id}-${secret}`;

/** docs/reference/chat.md#files. */
export function toWireFile(file: FileRow, shares: readonly ShareRow[], urls: FileUrls): object {
  const seconds = Math.floor(file.createdAt / 1e6);
  const name = encodeURIComponent(file.name);
  const place = `${urls.content}/files-pri/${file.workspaceId}-${file.id}`;
  const ids = (...types: ConversationType[]): string[] => [
    ...new Set(shares.filter(({ type }) => types.includes(type)).map(({ channel }) => channel)),
  ];
  const { isText: _, ...type } = fileTypeOf(file.name);
  const thumb = (size: number): string =>
    `${urls.content}/files-tmb/${file.workspaceId}-${file.id}/${encodeURIComponent(withSize(file.name, size))}`;
  const isPublic = shares.some(({ type }) => type === 'public');
  return {
    id: file.id,
    created: seconds,
    timestamp: seconds,
    name: file.name,
    title: file.title,
    ...type,
    user: file.userId,
    user_team: file.workspaceId,
    editable: false,
    size: file.size,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    ...wireOfDetails(file.details, thumb),
    is_public: isPublic,
    public_url_shared: file.publicSecret !== null,
    display_as_bot: false,
    username: '',
    alt_txt: file.altText ?? undefined,
    url_private: `${place}/${name}`,
    url_private_download: `${place}/download/${name}`,
    permalink: `${urls.page}/files/${file.userId}/${file.id}/${name}`,
    permalink_public: file.publicSecret === null ? undefined : publicUrlOf(file, file.publicSecret, urls.content),
    shares: sharesOf(file, shares),
    channels: ids('public'),
    groups: ids('private', 'mpim'),
    ims: ids('im'),
    has_rich_preview: false,
    file_access: 'visible',
  };
}

/** `cat.png` in 64 pixels: `cat_64.png`. */
const withSize = (name: string, size: number): string => name.replace(/(\.[^.]*)?$/, `_${size}$1`);

function sharesOf(file: FileRow, shares: readonly ShareRow[]): object {
  const groups: Record<string, Record<string, object[]>> = {};
  for (const share of shares) {
    const group = (groups[share.type === 'public' ? 'public' : 'private'] ??= {});
    (group[share.channel] ??= []).push({
      ts: share.ts,
      channel_name: share.channelName ?? undefined,
      team_id: file.workspaceId,
      reply_users: share.replyUsers,
      reply_users_count: share.replyUsersCount,
      reply_count: share.replyCount,
      share_user_id: file.userId,
      thread_ts: share.threadTs ?? undefined,
    });
  }
  return groups;
}
