import type { EmbeddedDatabase, EmbeddedOptions, Engine } from './embedded-database.js';
import { engineOf } from './data-dir.js';
import { EmbeddedError } from './embedded-error.js';
import { NativePostgres } from './native/native-postgres.js';
import { NativeUnavailable } from './native/native-unavailable.js';

export interface StartOptions extends Omit<EmbeddedOptions, 'template'> {
  /** The path of an engine's template; null: there is none. */
  readonly templateOf: (engine: Engine) => string | null;
  /** Undefined: the engine that wrote the directory, else a native server if one can run, else PGlite. */
  readonly engine?: Engine | undefined;
}

export interface Started {
  readonly database: EmbeddedDatabase;
  /** Why it is not a native server; undefined when it is, or when none was asked for. */
  readonly notice?: string;
}

/** Starts the embedded database. @throws EmbeddedError with one line that says what to do */
export async function startEmbedded({ templateOf, engine: asked, ...options }: StartOptions): Promise<Started> {
  const written = options.dataDir === 'memory' ? null : engineOf(options.dataDir);
  if (asked && written && asked !== written) {
    throw new EmbeddedError(
      `The data directory ${options.dataDir} was written by the engine ${written}: set SVC_EMBEDDED_ENGINE=${written}, or choose another SVC_DATA_DIR.`,
    );
  }
  const engine = asked ?? written;
  if (engine === 'pglite') return { database: await startPglite(options, templateOf) };
  try {
    return { database: await NativePostgres.start({ ...options, template: templateOf('postgres') }) };
  } catch (error) {
    if (!(error instanceof NativeUnavailable)) throw error;
    if (engine === 'postgres') {
      throw new EmbeddedError(`The embedded database ${options.dataDir} needs a PostgreSQL server: ${error.message}`);
    }
    return { database: await startPglite(options, templateOf), notice: error.message };
  }
}

/** Loaded only when needed. */
async function startPglite(
  options: Omit<EmbeddedOptions, 'template'>,
  templateOf: StartOptions['templateOf'],
): Promise<EmbeddedDatabase> {
  const { Pglite } = await import('./pglite/pglite.js');
  return Pglite.start({ ...options, template: templateOf('pglite') });
}
