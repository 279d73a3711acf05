import { isJsonObject, isLongerThan } from '../wire/text.js';
import {
  ArrayArg,
  BooleanArg,
  ErrorOrder,
  IgnoredArg,
  IntegerArg,
  ListArg,
  Rule,
  StringArg,
  TsArg,
  type RawArgs,
  type Report,
} from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

/** Most files of one message, and most channels of one sharing. */
const MAX_FILES = 20;
export const MAX_CHANNELS = 100;

const noLength = new Fault('must be a whole number from 1 up');
const noFiles = new Fault('must hold one to twenty objects with an id');

/** Arguments of files.getUploadURLExternal. */
@ErrorOrder('missing_argument', 'invalid_arguments', 'file_upload_size_restricted', 'alt_txt_too_large')
export class FilesGetUploadURLExternalArgs {
  @StringArg({ required: true, missing: 'missing_argument', max: 255, notes: 'its extension says the type' })
  filename!: string;

  /** Bytes. */
  @StringArg({
    required: true,
    missing: 'missing_argument',
    read: (text) => (/^[1-9]\d{0,15}$/.test(text) ? Number(text) : noLength),
    notes: 'bytes',
  })
  length!: number;

  @StringArg({ max: 1000, tooLong: 'alt_txt_too_large', aliases: ['alt_text'] })
  alt_txt?: string;

  @StringArg({ notes: 'accepted, no effect' })
  snippet_type?: string;
}

export interface FileToComplete {
  readonly id: string;
  readonly title?: string | undefined;
}

function readFiles(list: unknown[]): FileToComplete[] | Fault {
  const isFile = (item: unknown): item is { id: string; title?: string | null } =>
    isJsonObject(item) &&
    typeof item['id'] === 'string' &&
    (item['title'] === undefined || item['title'] === null || typeof item['title'] === 'string');
  if (list.length === 0 || list.length > MAX_FILES || !list.every(isFile)) return noFiles;
  if (list.some(({ title }) => title && isLongerThan(title, 1000))) return new Fault('has too long a title');
  return list.map(({ id, title }) => ({ id, title: title || undefined }));
}

/** Arguments of files.completeUploadExternal. Channels and blocks are judged after the files. */
@ErrorOrder(
  'invalid_arguments',
  'file_not_found',
  'channels_limit_exceeded',
  'invalid_channel',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'invalid_blocks',
)
@Rule<FilesCompleteUploadExternalArgs>((args: FilesCompleteUploadExternalArgs, _report: Report, raw: RawArgs) => {
  args.sentBlocks = raw['blocks'];
})
export class FilesCompleteUploadExternalArgs {
  @ArrayArg({ required: true, max: MAX_FILES, read: readFiles, notes: 'of {id, title}' })
  files!: FileToComplete[];

  @StringArg({ notes: 'where to share it; a user: the direct message with them' })
  channel_id?: string;

  @ListArg({ notes: 'where to share it, at most 100' })
  channels?: readonly string[];

  /** Microseconds; undefined also when malformed, as in chat.postMessage. */
  @TsArg({ malformed: { value: undefined }, notes: "parent's ts" })
  thread_ts?: number;

  @StringArg({ keepEmpty: true, max: 40_000, notes: 'text of the message' })
  initial_comment?: string;

  @IgnoredArg({ notes: 'Block Kit; without effect beside initial_comment' })
  blocks?: unknown;

  sentBlocks?: unknown;
}

/** Arguments of files.info. */
@ErrorOrder('invalid_arguments', 'file_not_found', 'file_deleted')
export class FilesInfoArgs {
  @StringArg({ required: true, notes: 'file id' })
  file!: string;

  @IgnoredArg({ notes: 'accepted, no effect' }) count?: unknown;
  @IgnoredArg({ notes: 'accepted, no effect' }) page?: unknown;
  @IgnoredArg({ notes: 'accepted, no effect' }) limit?: unknown;
  @IgnoredArg({ notes: 'accepted, no effect' }) cursor?: unknown;
}

/** Arguments of files.delete. */
@ErrorOrder('invalid_arguments', 'file_not_found', 'file_deleted', 'cant_delete_file')
export class FilesDeleteArgs {
  @StringArg({ required: true, notes: 'file id' })
  file!: string;
}

/** Words for kinds of files: the extensions they stand for; null: snippets. */
export const FILE_KINDS: Readonly<Record<string, readonly string[] | null>> = {
  all: [''],
  images: ['png', 'jpg', 'jpeg', 'gif', 'svg', 'webp', 'bmp', 'tif', 'tiff', 'heic'],
  pdfs: ['pdf'],
  zips: ['zip', 'gz', 'tar'],
  snippets: null,
  // none of these is here
  spaces: [],
  gdocs: [],
};

/** Arguments of files.list. */
@ErrorOrder('invalid_arguments', 'user_not_found', 'unknown_type', 'channel_not_found')
export class FilesListArgs {
  @StringArg({ notes: 'conversation id' }) channel?: string;
  @StringArg({ notes: 'id of who uploaded them' }) user?: string;
  /** Microseconds. */
  @TsArg({ malformed: { value: undefined }, notes: 'made then or later' }) ts_from?: number;
  /** Microseconds. */
  @TsArg({ malformed: { value: undefined }, notes: 'made then or before' }) ts_to?: number;
  @ListArg({ notes: 'all, images, pdfs, zips, snippets, spaces, gdocs' })
  types?: readonly string[];
  @IntegerArg({ default: 100, max: 1000, notes: 'page size' }) count!: number;
  @IntegerArg({ default: 1, min: 1, max: 100_000, notes: '1-based' }) page!: number;
  @BooleanArg({ notes: 'accepted, no effect' }) show_files_hidden_by_limit?: boolean;
  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' }) team_id?: string;
}

/** Arguments of files.sharedPublicURL. */
@ErrorOrder('invalid_arguments', 'file_not_found')
export class FilesSharedPublicURLArgs {
  @StringArg({ required: true, notes: 'file id' }) file!: string;
}

/** Arguments of files.revokePublicURL. */
@ErrorOrder('invalid_arguments', 'file_not_found')
export class FilesRevokePublicURLArgs extends FilesSharedPublicURLArgs {}
