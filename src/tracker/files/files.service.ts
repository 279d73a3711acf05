import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { seenId } from '../../kernel/clock/request-sandbox.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newAlphanumeric, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import { Access } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import type { JsonObject } from '../graphql/scalars.js';
import { mutate } from '../events/mutation.js';
import { invalidArgument } from '../values/errors.js';
import { encodedName, uploadsFor } from '../values/urls.js';
import { TrackerFile } from './file.entity.js';
import { CONTENT_SWEEP, STORE_CONTENT, SWEEP_FILES } from './files.queries.js';
import type { FileUploadArgs, ImageUploadFromUrlPayload, UploadPayload } from './files.types.js';
import { ImageLoading } from './image-loading.js';

/** How long an upload URL is good for, in milliseconds of real time. */
const UPLOAD_MS = 60_000;
/** How long one that ended is known as such. */
const REMEMBERED_MS = 60 * 60_000;
const SECRET_LENGTH = 43;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const LONGEST_NAME = 255;

/** Files of the tracker (docs/reference/tracker.md#files): first the place, then the bytes (file-transfer.ts). */
@Injectable()
export class FilesService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly access: Access,
    private readonly publicUrl: PublicUrl,
    private readonly images: ImageLoading,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting files of the tracker', 60_000, async (stopped) => {
      const before = new Date(this.clock.wallMs() - REMEMBERED_MS);
      while (!stopped() && (await this.db.run(SWEEP_FILES, [before])).length > 0);
      while (!stopped() && (await CONTENT_SWEEP.run(this.db)) > 0);
    });
  }

  /** @throws TrackerError docs/reference/tracker.md#errors row 9 */
  place(viewer: Viewer, args: FileUploadArgs): Promise<UploadPayload> {
    const { contentType, filename, size } = args;
    if (!MEDIA_TYPE.test(contentType)) {
      throw invalidArgument('contentType', 'isMimeType', 'contentType must be a media type');
    }
    if (filename.length === 0 || filename.length > LONGEST_NAME || /[/\\]|^\.{1,2}$/.test(filename)) {
      throw invalidArgument('filename', 'isFilename', 'filename must be the name of a file');
    }
    if (size < 1) throw invalidArgument('size', 'min', 'size must not be less than 1');
    const most = this.settings.fileMaxBytes;
    if (size > most) throw invalidArgument('size', 'max', `size must not be greater than ${most}`);
    const metaData = (args.metaData ?? null) as JsonObject | null;
    const secret = newAlphanumeric(SECRET_LENGTH);
    const id = newUuid();
    return mutate(this.db, viewer, async (tx) => {
      await this.requireRoom(tx, viewer, size);
      await tx.sql.insert(TrackerFile, {
        id,
        organizationId: viewer.organizationId,
        filename,
        contentType,
        size,
        metaData,
        isPublic: args.makePublic === true,
        uploadHash: sha256Hex(secret),
        uploadUntil: new Date(this.clock.wallMs() + UPLOAD_MS),
      });
      const headers = [{ key: 'Content-Disposition', value: `attachment; filename*=UTF-8''${encodedName(filename)}` }];
      const uploadUrl = `${uploadsFor(this.publicUrl.base, viewer)}/put/${secret}`;
      return {
        uploadFile: {
          assetUrl: this.assetUrl(viewer, id, filename),
          contentType,
          filename,
          headers,
          metaData,
          size,
          uploadUrl,
        },
      };
    });
  }

  /** An image of another server becomes a file. @throws TrackerError docs/reference/tracker.md#errors row 11 */
  async keepImage(viewer: Viewer, url: string): Promise<ImageUploadFromUrlPayload> {
    const { bytes, contentType, filename } = await this.images.load(seenId(url));
    const id = newUuid();
    return mutate(this.db, viewer, async (tx) => {
      await this.requireRoom(tx, viewer, bytes.length);
      const { organizationId } = viewer;
      const file = { id, organizationId, filename, contentType, size: bytes.length };
      await tx.sql.insert(TrackerFile, { ...file, uploadUntil: new Date(this.clock.wallMs()) });
      await tx.query(STORE_CONTENT, [id, bytes, createHash('sha256').update(bytes).digest('hex')]);
      return { url: this.assetUrl(viewer, id, filename) };
    });
  }

  private assetUrl(viewer: Viewer, id: string, filename: string): string {
    return `${uploadsFor(this.publicUrl.base, viewer)}/${viewer.organizationId}/${id}/${encodedName(filename)}`;
  }

  /** What an organization holds has a bound, with what is announced. */
  private async requireRoom(tx: Tx, viewer: Viewer, size: number): Promise<void> {
    const { id: organizationId } = await this.access.organizationForUpdate(tx, viewer);
    const used = (await tx.sql.sum(TrackerFile, 'size', { organizationId })) ?? 0;
    if (Number(used) + size > this.settings.filesMaxTotalBytes) {
      throw invalidArgument('size', 'max', 'size must fit into what the files of the organization may hold together');
    }
  }
}
