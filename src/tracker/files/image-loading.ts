import { Injectable } from '@nestjs/common';
import { outside } from '../../kernel/http/call-context.js';
import { GuardedHttp } from '../../webhooks/guarded-http.js';
import { brokenRule } from '../values/errors.js';

/** Largest image that is loaded, in bytes, and how long that may take, in milliseconds. */
const MAX_IMAGE = 10 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
const IMAGE = /^image\/[\w.+-]{1,100}$/;

export interface LoadedImage {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Images of other servers, only of those that `SVC_TARGETS` allows (docs/reference/tracker.md#files). */
@Injectable()
export class ImageLoading {
  constructor(private readonly http: GuardedHttp) {}

  /** @throws TrackerError docs/reference/tracker.md#errors row 11, whatever the reason: it says nothing of the network */
  async load(url: string): Promise<LoadedImage> {
    const answer = await outside(() =>
      this.http.post({
        method: 'GET',
        url,
        headers: { accept: 'image/*', 'user-agent': 'Understudy (loads an image)' },
        body: '',
        timeoutMs: TIMEOUT_MS,
        maxRedirects: MAX_REDIRECTS,
        maxResponseBytes: MAX_IMAGE,
      }),
    );
    if (!answer.answered || answer.status !== 200 || answer.body.length === 0) throw notLoaded();
    const contentType = (answer.headers['content-type']?.split(';')[0] ?? '').trim().toLowerCase();
    if (!IMAGE.test(contentType)) throw notLoaded();
    return { filename: nameOf(url), contentType, bytes: answer.body };
  }
}

const notLoaded = () => brokenRule('image could not be loaded', 'The image could not be loaded.');

/** The last part of a URL's path, as far as it can be a file's name. */
function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return (
    last
      .replace(/[^\w.-]/g, '')
      .replace(/^\.+/, '')
      .slice(-100) || 'image'
  );
}
