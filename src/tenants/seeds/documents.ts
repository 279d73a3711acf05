import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { SandboxTime } from '../../kernel/clock/request-sandbox.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { LargeDocument } from '../../kernel/http/large-document.js';
import { KnownScopes } from '../../messaging/apps/known-scopes.js';
import { seedShapes } from '../../tracker/entity/seed-shapes.js';
import { DocumentThreads, type DocumentOwner } from './document-threads.js';
import { readSeed, type DrawOfDocument } from './seed-document.js';
import type { Seed } from './seed-types.js';

export { seedShapes };

type Json = Record<string, unknown>;

/** Parses documents: directly, or in threads of their own if they are large. */
@Injectable()
export class SeedDocuments {
  constructor(
    private readonly clock: Clock,
    private readonly scopes: KnownScopes,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly threads: DocumentThreads,
  ) {}

  /**
   * The fields of a body; for a large document its own fields, with empty lists for its parts.
   * @throws what parsing throws
   */
  async fields(body: unknown, owner: DocumentOwner): Promise<Json> {
    if (!(body instanceof LargeDocument)) return (body ?? {}) as Json;
    const fields = await this.threads.fields(body, owner);
    // it was not known yet when the caller's workspace was looked for
    if (fields['team_id'] !== undefined)
      throw new BadRequestException(['team_id: stands in the query of this document']);
    return fields;
  }

  /**
   * Reads a document for a sandbox at the sandbox's time; its faults are reported when it is filled in.
   * @param sandbox.methods that the sandbox chose; null: the server's
   * @param sandbox.draw what is made up is derived from it; absent or null: it is random
   */
  async read(
    body: unknown,
    sandbox: { time: SandboxTime | null; methods: 'core' | 'all' | null; draw?: DrawOfDocument | null },
    strict: boolean,
    owner: DocumentOwner,
  ): Promise<Seed> {
    const surface = this.scopes.surface(sandbox.methods ?? this.settings.methods);
    const nowMicros = this.clock.within(sandbox.time, () => this.clock.nowMicros());
    const options = { strict, surface, shapes: seedShapes(), draw: sandbox.draw ?? null };
    if (body instanceof LargeDocument) return this.threads.seed(body, owner, { ...options, nowMicros });
    return readSeed((body ?? {}) as Json, nowMicros, options);
  }
}
