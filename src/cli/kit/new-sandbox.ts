import type { Api } from './api.js';
import type { SandboxCredentials, UrlForm } from './environment.js';
import { say } from './output.js';
import { documentFrom } from './values.js';

export interface MadeSandbox {
  id: string;
  team_id: string;
  /** The form of the URLs that it gives out. */
  urls: UrlForm;
  credentials: SandboxCredentials;
  warnings?: string[];
}

export interface SandboxRequest {
  /** A document, YAML or JSON; `-` is standard input. */
  seed?: string | undefined;
  name?: string | undefined;
  /** Seconds. */
  ttl?: number | undefined;
  label?: Record<string, string> | undefined;
  /** Further fields of the document, which win over the file's. */
  settings?: Record<string, unknown>;
  /** Fields that hold unless the document says otherwise. */
  defaults?: Record<string, unknown>;
}

/** Makes a sandbox from a document and options; says its warnings. */
export async function newSandbox(api: Api, request: SandboxRequest): Promise<MadeSandbox> {
  const { seed, name, ttl, label, settings = {}, defaults = {} } = request;
  const document = seed === undefined ? {} : documentFrom(seed);
  const unsaid = Object.entries(defaults).filter(([field]) => !says(document, field));
  const own = {
    ...(name === undefined ? {} : { name }),
    ...(label ? { labels: label } : {}),
    ...(ttl === undefined ? {} : { ttl_seconds: ttl }),
    ...settings,
    ...Object.fromEntries(unsaid),
  };
  // a YAML document is sent unchanged; the options are applied to the sandbox afterwards
  const isYaml = typeof document === 'string';
  const body = isYaml ? document : { ...document, ...own };
  const made = await api.call<MadeSandbox>('POST', '/sandboxes', { body });
  if (isYaml && Object.keys(own).length > 0) await change(api, made.id, own);
  for (const warning of made.warnings ?? []) say(`warning: ${warning}`);
  return made;
}

/** Takes a sandbox of a pool; the settings are applied to it afterwards. */
export async function claimed(
  api: Api,
  { pool, name, ttl, label }: Pick<SandboxRequest, 'name' | 'ttl' | 'label'> & { pool: string },
  settings: Record<string, unknown>,
): Promise<MadeSandbox> {
  const body = { pool, name, labels: label, ttl_seconds: ttl };
  const made = await api.call<MadeSandbox>('POST', '/sandboxes', { body });
  return { ...made, ...(await change(api, made.id, settings)) };
}

/** Settings of a sandbox that was just made: it goes again where they are refused. */
async function change(api: Api, id: string, body: Record<string, unknown>): Promise<Pick<MadeSandbox, 'urls'>> {
  try {
    return await api.call<Pick<MadeSandbox, 'urls'>>('PATCH', api.sandbox(id), { body });
  } catch (error) {
    await takeBack(api, id);
    throw error;
  }
}

/** Deletes a sandbox that was made in vain, as far as that can be done. */
export const takeBack = (api: Api, id: string): Promise<unknown> =>
  api.call('DELETE', api.sandbox(id)).catch(() => undefined);

/** Whether a document has a field of its own. */
const says = (document: object | string, field: string): boolean =>
  typeof document === 'string' ? new RegExp(`^\\s*[{]?\\s*${field}\\s*:`, 'm').test(document) : field in document;
