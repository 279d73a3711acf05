import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { readInCallersIds } from '../../kernel/http/callers-ids.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { RestError } from '../../kernel/http/http-error.js';
import { UploadEdge } from '../../kernel/http/upload-edge.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { Log } from '../../kernel/log/log.js';
import { AssetSignatures } from '../access/asset-signatures.js';
import { Callers } from '../access/callers.js';
import type { Viewer } from '../access/viewer.js';
import { encodedName } from '../values/urls.js';
import { isUuid } from '../values/uuid.js';
import { TrackerFileContent } from './file-content.entity.js';
import { TrackerFile } from './file.entity.js';
import { STORE_CONTENT } from './files.queries.js';

const PATHS = /^\/uploads\//;

/** The bytes of files, in and out (docs/reference/tracker.md#files): upload URLs need no credential, contents do. */
@Injectable()
export class FileTransfer implements OnModuleInit {
  private readonly edge: UploadEdge;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly callers: Callers,
    private readonly signatures: AssetSignatures,
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
    fastify.put(
      '/uploads/put/:secret',
      { bodyLimit: this.settings.fileMaxBytes },
      this.edge.guarded((request, reply) => this.upload(request, reply)),
    );
    fastify.get(
      '/uploads/:organizationId/:id/:filename',
      this.edge.guarded((request, reply) => this.download(request, reply)),
    );
  }

  private async upload(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const file = await this.slot((request.params as { secret: string }).secret);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (essenceOf(request.headers['content-type']) !== file.contentType.toLowerCase()) {
      throw new RestError(400, 'content_type_mismatch');
    }
    if (bytes.length > file.size) throw new RestError(413, 'payload_too_large');
    if (bytes.length < file.size) throw new RestError(400, 'size_mismatch');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const stored = await this.db.run(STORE_CONTENT, [file.id, bytes, hash]);
    if (stored.length === 0) throw new RestError(404, 'upload_not_found');
    return reply.code(200).send();
  }

  /** @throws RestError 404 upload_not_found, also for one that was used; 410 upload_expired */
  private async slot(secret: string): Promise<TrackerFile> {
    const uploadHash = sha256Hex(secret);
    const file = await this.db.load((entities) => entities.findOneBy(TrackerFile, { uploadHash }));
    if (!file) throw new RestError(404, 'upload_not_found');
    if (file.uploadUntil.getTime() <= this.clock.wallMs()) throw new RestError(410, 'upload_expired');
    return file;
  }

  /** The answer is the same for files that do not exist and files one may not see. */
  private async download(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const signed = await this.signedFile(request);
    if (signed?.contentHash) return this.send(reply, signed, signed.contentHash);
    const viewer = await this.viewerOf(request);
    if (viewer) {
      this.clock.enter(viewer.sandbox);
      readInCallersIds(request);
    }
    const { organizationId, id } = request.params as { organizationId: string; id: string };
    const known = isUuid(organizationId) && isUuid(id);
    const file = known
      ? await this.db.load((entities) => entities.findOneBy(TrackerFile, { id, organizationId }))
      : null;
    const isOpen = file !== null && (file.isPublic || file.organizationId === viewer?.organizationId);
    if (!isOpen && !viewer) throw new RestError(401, 'not_authed');
    if (!isOpen || file.contentHash === null) throw new RestError(404, 'file_not_found');
    return this.send(reply, file, file.contentHash);
  }

  /** The file that the signature of a request opens; undefined: it has none, or none that is good. */
  private async signedFile({ params, query }: FastifyRequest): Promise<TrackerFile | undefined> {
    const { organizationId, id } = params as { organizationId: string; id: string };
    const { signature } = query as { signature?: unknown };
    const file = this.signatures.fileOf(organizationId, id, signature);
    if (file === undefined) return undefined;
    return (await this.db.load((entities) => entities.findOneBy(TrackerFile, { id: file }))) ?? undefined;
  }

  /** Undefined without a good credential. Keys of release pipelines open no files. */
  private async viewerOf({ headers }: FastifyRequest): Promise<Viewer | undefined> {
    const found = await this.callers.byHeader(headers.authorization ?? '');
    return found && 'viewer' in found && !found.viewer.releaseKey ? found.viewer : undefined;
  }

  private async send(reply: FastifyReply, file: TrackerFile, hash: string): Promise<unknown> {
    const { organizationId, filename, contentType } = file;
    const content = await this.db.load((entities) => entities.findOneBy(TrackerFileContent, { organizationId, hash }));
    if (!content) throw new RestError(404, 'file_not_found');
    const isImage = contentType.toLowerCase().startsWith('image/');
    return reply
      .headers({
        'Content-Type': contentType,
        'Content-Disposition': `${isImage ? 'inline' : 'attachment'}; filename*=UTF-8''${encodedName(filename)}`,
        // a picture may be SVG, which could run scripts
        'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      })
      .send(Buffer.from(content.bytes));
  }
}

/** A content type without its parameters. */
const essenceOf = (type = ''): string => (type.split(';')[0] ?? '').trim().toLowerCase();
