import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { RestError } from '../../kernel/http/http-error.js';
import { UploadEdge } from '../../kernel/http/upload-edge.js';
import { eachText, idSpaceOf } from '../../kernel/ids/id-space.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { Log } from '../../kernel/log/log.js';
import { holdsScope } from '../access/identity.js';
import { Credentials } from '../rpc/credentials.js';
import { bearer } from '../../kernel/http/bearer.js';
import { MessagingError } from '../wire/codes.js';
import { detailsOf } from '../wire/file-details.js';
import { fileTypeOf } from '../wire/file-types.js';
import { CONTENT, PUBLIC_FILE, PUBLIC_FILES_OF_FORKS, SLOT, STORE_CONTENT, VISIBLE } from './files.queries.js';
import type { FileRow } from '../wire/file-wire.js';

const PATHS = /^\/(?:upload\/v1|files-pri|files-tmb|files-public)\//;

/** Size of the parts of a multipart body besides the file. */
const ENVELOPE_BYTES = 65_536;

interface UploadSlot extends Record<string, unknown> {
  id: string;
  state: FileRow['state'];
  name: string;
  size: number;
  /** What tells its callers' ids from the stored ones. */
  idKey: number | null;
}

interface FileBytes extends Record<string, unknown> {
  readonly name: string;
  readonly contentHash: string | null;
}

/** The bytes of files, in and out: upload URLs, which need no credential, and `url_private`, which does. */
@Injectable()
export class FileTransfer implements OnModuleInit {
  private readonly edge: UploadEdge;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly credentials: Credentials,
    private readonly host: HttpAdapterHost,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    edges: HttpEdges,
    log: Log,
  ) {
    this.edge = new UploadEdge(PATHS, (secret) => this.slot(secret), log);
    edges.add(this.edge);
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance() as unknown as FastifyInstance;
    fastify.post(
      '/upload/v1/:secret',
      { bodyLimit: this.settings.fileMaxBytes + ENVELOPE_BYTES },
      this.edge.guarded((request, reply) => this.upload(request, reply)),
    );
    const download = this.edge.guarded((request, reply) => this.download(request, reply));
    fastify.get('/files-pri/:place/download/:name', download);
    fastify.get('/files-pri/:place/:name', download);
    fastify.get(
      '/files-public/:place',
      this.edge.guarded((request, reply) => this.publicDownload(request, reply)),
    );
    // no picture is made smaller: who draws it does that
    fastify.get('/files-tmb/:place/:name', download);
  }

  private async upload(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { secret } = request.params as { secret: string };
    const slot = await this.slot(secret);
    const bytes = await bytesOf(request);
    if (bytes.length > slot.size) throw new RestError(413, 'payload_too_large');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const found = detailsOf(slot.name, bytes);
    // stored as all texts are, and shown as it is in the file
    const ids = idSpaceOf(slot.idKey);
    const details = ids ? eachText(found, (text) => ids.inside(text)) : found;

    const stored = await this.db.run(STORE_CONTENT, [
      slot.id,
      bytes,
      hash,
      bytes.length,
      details && JSON.stringify(details),
    ]);
    if (stored.length === 0) throw new RestError(409, 'upload_used');
    return reply.type('text/plain; charset=utf-8').send(`OK - ${bytes.length}`);
  }

  /** @throws RestError 404 upload_not_found, 409 upload_used */
  private async slot(secret: string): Promise<UploadSlot> {
    const [slot] = await this.db.read<UploadSlot>(SLOT, [sha256Hex(secret), new Date(this.clock.wallMs())]);
    if (!slot) throw new RestError(404, 'upload_not_found');
    if (slot.state !== 'slot') throw new RestError(409, 'upload_used');
    return slot;
  }

  /** The answer is the same for files that do not exist and files one may not see. */
  private async download(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const token = bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    const { identity } = await this.credentials.identify(token, {}).catch((error: unknown) => {
      throw error instanceof MessagingError ? new RestError(401, error.code) : error;
    });
    const { place: sent } = request.params as { place: string };
    const place = identity.sandbox.ids?.inside(sent) ?? sent;
    const [, teamId, fileId] = /^(T0[0-9A-Z]{9})-(F0[0-9A-Z]{9})$/.exec(place) ?? [];
    if (!holdsScope(identity, 'files:read') || teamId !== identity.workspaceId)
      throw new RestError(404, 'file_not_found');
    const [file] = await this.db.read<FileRow & Record<string, unknown>>(VISIBLE, [teamId, fileId, identity.userId]);
    if (!file) throw new RestError(404, 'file_not_found');
    return this.send(reply, teamId, file);
  }

  /** For whoever has the URL (files.sharedPublicURL). */
  private async publicDownload(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { place } = request.params as { place: string };
    const [, teamId, fileId, secret] = /^(T0[0-9A-Z]{9})-(F0[0-9A-Z]{9})-([0-9a-f]{10})$/.exec(place) ?? [];
    if (teamId === undefined) throw new RestError(404, 'file_not_found');
    const [file] = await this.db.read<FileBytes>(PUBLIC_FILE, [teamId, fileId, secret]);
    if (file) return this.send(reply, teamId, file);
    const found = await this.publicInFork({ teamId, fileId: fileId as string }, secret as string);
    if (!found) throw new RestError(404, 'file_not_found');
    return this.send(reply, found.workspaceId, found.file);
  }

  /** A file of a sandbox with ids of its own, by the ids that its callers know. */
  private async publicInFork(
    { teamId, fileId }: { teamId: string; fileId: string },
    secret: string,
  ): Promise<{ workspaceId: string; file: FileBytes } | undefined> {
    type Row = Record<string, unknown> & { id: string; workspaceId: string; idKey: number };
    const rows = await this.db.read<Row>(PUBLIC_FILES_OF_FORKS, [secret]);
    const found = rows.find(({ id, workspaceId, idKey }) => {
      const ids = idSpaceOf(idKey);
      return ids?.outside(id) === fileId && ids.outside(workspaceId) === teamId;
    });
    if (!found) return undefined;
    const [file] = await this.db.read<FileBytes>(PUBLIC_FILE, [found.workspaceId, found.id, secret]);
    return file && { workspaceId: found.workspaceId, file };
  }

  private async send(reply: FastifyReply, teamId: string, { name, contentHash }: FileBytes): Promise<unknown> {
    const [content] =
      contentHash === null ? [] : await this.db.read<{ bytes: Uint8Array }>(CONTENT, [teamId, contentHash]);
    if (!content) throw new RestError(404, 'file_not_found');
    return reply
      .headers({
        'Content-Type': fileTypeOf(name).mimetype,
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      })
      .send(Buffer.from(content.bytes));
  }
}

/** One file part, whatever its name; or, with any other content type, the bytes as they are. @throws RestError 400 */
async function bytesOf(request: FastifyRequest): Promise<Buffer> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) return body;
  let parts: Blob[];
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    parts = [...form.values()].filter((value) => typeof value !== 'string');
  } catch {
    throw new RestError(400, 'invalid_form_data');
  }
  const [part] = parts;
  if (!part || parts.length > 1) throw new RestError(400, 'one_file_expected');
  return Buffer.from(await part.arrayBuffer());
}
