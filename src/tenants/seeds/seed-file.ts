import { readFile } from 'node:fs/promises';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import type { Tx } from '../../kernel/database/db.js';
import { StoreError } from '../../kernel/database/store-error.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import { cleanJson } from '../../kernel/text/clean.js';
import { readYaml } from '../../kernel/text/yaml.js';
import { SeedDocuments } from './documents.js';
import type { SeedContext } from './known-objects.js';
import type { Seed } from './seed-types.js';
import { Seeding } from './seeding.js';

const ONLY_NEW =
  'name labels ttl_seconds journal methods rate_limit_multiplier missing_scope_status urls id_space deterministic clock team from'.split(
    ' ',
  );

/** The document of SVC_SEED_FILE (docs/reference/sandboxes.md#seed-file). */
@Injectable()
export class SeedFile {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly documents: SeedDocuments,
    private readonly seeding: Seeding,
    private readonly log: Log,
  ) {}

  /**
   * Parses and validates it; undefined if there is none.
   * @throws StoreError with a line for each fault
   */
  async read(): Promise<Seed | undefined> {
    const path = this.settings.seedFile;
    if (path === undefined) return undefined;
    return withFileName(path, async () => {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        throw new BadRequestException([`cannot be read: ${(error as Error).message}`]);
      });
      const value = /\.json$/i.test(path) ? parseJson(text) : readYaml(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new BadRequestException(['document: must be an object']);
      }
      const document = value as Record<string, unknown>;
      const refused = ONLY_NEW.filter((field) => document[field] !== undefined);
      const seed = await this.documents.read(document, { time: null, methods: null }, false, '');
      // its other faults are reported with those of its references, when it is filled in
      if (refused.length > 0) {
        this.seeding.refuseFaults([...refused.map((field) => `${field}: only a new sandbox takes it`), ...seed.faults]);
      }
      for (const warning of seed.warnings) this.log.warn('SVC_SEED_FILE', { warning });
      return seed;
    });
  }

  /**
   * Fills the default workspace, in the transaction that makes it.
   * @throws StoreError with a line for each fault
   */
  async fill(tx: Tx, context: SeedContext, seed: Seed): Promise<void> {
    await withFileName(this.settings.seedFile ?? '', () => this.seeding.fill(tx, context, seed));
  }
}

function parseJson(text: string): unknown {
  try {
    return cleanJson(JSON.parse(text));
  } catch (error) {
    throw new BadRequestException([`document: ${(error as Error).message}`]);
  }
}

/** Refusals as messages for the person who starts the process. */
async function withFileName<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RestError)
      throw new StoreError(`SVC_SEED_FILE ${path}: ${error.path ?? 'document'}: ${error.code}`);
    if (!(error instanceof BadRequestException)) throw error;
    const { message } = error.getResponse() as { message: string | string[] };
    throw new StoreError(
      [message]
        .flat()
        .map((fault) => `SVC_SEED_FILE ${path}: ${fault}`)
        .join('\n'),
    );
  }
}
