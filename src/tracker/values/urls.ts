import { slugOf } from './slugs.js';

interface Slugged {
  readonly name: string;
  readonly slugId: string;
}

/**
 * Addresses of things for people (`url` fields and events). `web` is the base without a final slash; `urlKey` is the
 * organization's.
 */
export const userUrl = (web: string, urlKey: string, displayName: string): string =>
  `${web}/${urlKey}/profiles/${displayName}`;

export const teamUrl = (web: string, urlKey: string, team: { key: string }): string =>
  `${web}/${urlKey}/team/${team.key}`;

export const projectUrl = (web: string, urlKey: string, project: Slugged): string =>
  `${web}/${urlKey}/project/${[slugOf(project.name), project.slugId].filter(Boolean).join('-')}`;

export const webhookUrl = (web: string, urlKey: string, id: string): string =>
  `${web}/${urlKey}/settings/webhooks/${id}`;

export const organizationUrl = (web: string, urlKey: string): string => `${web}/${urlKey}`;

export function issueUrl(web: string, urlKey: string, issue: { identifier: string; title: string }): string {
  const slug = slugOf(issue.title);
  return `${web}/${urlKey}/issue/${issue.identifier}${slug === '' ? '' : `/${slug}`}`;
}

/** @param project the url of its project */
export const projectUpdateUrl = (project: string, slugId: string): string =>
  `${project}/updates#project-update-${slugId}`;

const slugUrl = (web: string, urlKey: string | undefined, kind: string, { name, slugId }: Slugged): string =>
  `${[web, urlKey].filter(Boolean).join('/')}/${kind}/${[slugOf(name), slugId].filter(Boolean).join('-')}`;

/** @param urlKey undefined where `web` is the organization's url */
export const initiativeUrl = (web: string, urlKey: string | undefined, initiative: Slugged): string =>
  slugUrl(web, urlKey, 'initiative', initiative);

export const customViewUrl = (web: string, urlKey: string, view: Slugged): string => slugUrl(web, urlKey, 'view', view);

export const documentUrl = (
  web: string,
  urlKey: string,
  { title, slugId }: { title: string; slugId: string },
): string => slugUrl(web, urlKey, 'document', { name: title, slugId });

/** @param urlKey undefined where `web` is the organization's url */
export const customerUrl = (web: string, urlKey: string | undefined, customer: Slugged): string =>
  slugUrl(web, urlKey, 'customer', customer);

/** @param urlKey undefined where `web` is the organization's url, here and in the next two */
export const releaseUrl = (web: string, urlKey: string | undefined, release: Slugged): string =>
  slugUrl(web, urlKey, 'release', release);

export const releasePipelineUrl = (web: string, urlKey: string | undefined, pipeline: Slugged): string =>
  slugUrl(web, urlKey, 'release-pipeline', pipeline);

export const releaseNoteUrl = (
  web: string,
  urlKey: string | undefined,
  { title, slugId }: { title: string | null; slugId: string },
): string => slugUrl(web, urlKey, 'release-note', { name: title ?? '', slugId });

/** @param initiative the url of its initiative */
export const initiativeUpdateUrl = (initiative: string, slugId: string): string =>
  `${initiative}/updates#initiative-update-${slugId}`;

/** @param owner the url of the comment's issue or project */
export const commentUrl = (owner: string, commentId: string): string => `${owner}#comment-${commentId.slice(0, 8)}`;

export const labelUrl = (web: string, urlKey: string, id: string): string => `${web}/${urlKey}/settings/labels/${id}`;
export const projectLabelUrl = (web: string, urlKey: string, id: string): string =>
  `${web}/${urlKey}/settings/project-labels/${id}`;

export const initiativeLabelUrl = (web: string, urlKey: string, id: string): string =>
  `${web}/${urlKey}/settings/initiative-labels/${id}`;

/** What the tracker's URLs begin with for a viewer: the server's base, or the vendor's (docs/reference/reach.md#urls). */
export const webFor = (base: string, { sandbox }: { sandbox: { urls: 'server' | 'vendor' } | null }): string =>
  sandbox?.urls === 'vendor' ? 'https://linear.app' : base;

/** What the addresses of uploads and contents of files begin with where they are the vendor's. */
export const UPLOADS_OF_VENDOR = 'https://uploads.linear.app';

/** What the addresses of uploads and contents of files begin with (docs/reference/reach.md#urls). */
export const uploadsFor = (base: string, { sandbox }: { sandbox: { urls: 'server' | 'vendor' } | null }): string =>
  sandbox?.urls === 'vendor' ? UPLOADS_OF_VENDOR : `${base}/uploads`;

/** The name of a file in addresses and headers: also without the characters that end an address in Markdown. */
export const encodedName = (filename: string): string =>
  encodeURIComponent(filename).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
