import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { toCaller } from '../../kernel/clock/request-sandbox.js';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { invalidArgument, type TrackerError } from '../values/errors.js';
import { UPLOADS_OF_VENDOR } from '../values/urls.js';
import { uuidOfHex } from '../values/uuid.js';
import type { Viewer } from './viewer.js';

/** The header that asks for signed addresses, and the longest time that it may ask for, in seconds. */
export const EXPIRY_HEADER = 'public-file-urls-expire-in';
const LONGEST_SECONDS = 604_800;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const EXPIRY_HEX = 10;
const SIGNED = /^\?signature=[0-9a-f]+$/;
const SIGNATURE = /^([0-9a-f]{32})([0-9a-f]{10})([0-9a-f]{64})$/;

/**
 * Addresses of files that need no credential for a time (docs/reference/tracker.md#files). A signature is the id of the
 * file as it is stored, the second at which it ends in real time, and a proof over both and the address. It is written
 * in hex, in which nothing looks like an id that a sandbox with ids of its own would write anew.
 */
@Injectable()
export class AssetSignatures {
  private readonly key: Buffer;

  constructor(
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    secrets: InstanceSecrets,
  ) {
    this.key = secrets.key('tracker-assets');
  }

  /**
   * How long the addresses of an answer are to be open, in seconds; undefined: they stay as they are; an error:
   * docs/reference/tracker.md#errors row 9.
   */
  secondsOf(header: string | string[] | undefined): number | TrackerError | undefined {
    if (header === undefined) return undefined;
    const seconds = typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) : 0;
    if (seconds >= 1 && seconds <= LONGEST_SECONDS) return seconds;
    const message = `${EXPIRY_HEADER} must be an integer from 1 to ${LONGEST_SECONDS}`;
    return invalidArgument(EXPIRY_HEADER, 'isInt', message);
  }

  /** JSON of an answer, with signatures on the addresses of the organization's files in its texts. */
  signed(text: string, { organizationId, releaseKey }: Viewer, seconds: number): string {
    // keys of release pipelines open no files
    if (releaseKey) return text;
    const bases = [`${this.publicUrl.base}/uploads`, UPLOADS_OF_VENDOR].map(escaped).join('|');
    const address = new RegExp(`((?:${bases})/${organizationId}/(${UUID})/)([\\w%.~-]+)(\\?[\\w%.~=&-]*)?`, 'g');
    const ends = Math.floor(this.clock.wallMs() / 1000) + seconds;
    const made = new Map<string, string>();
    return text.replace(address, (whole: string, place: string, id: string, name: string, query?: string) => {
      // one that was signed before is signed anew; with any other query it is the address of something else
      if (query !== undefined && !SIGNED.test(query)) return whole;
      let signature = made.get(id);
      if (signature === undefined) made.set(id, (signature = this.sign(organizationId, id, ends)));
      // full stops behind an address end its sentence
      const end = query === undefined ? endOf(name) : name.length;
      return `${place}${name.slice(0, end)}?signature=${signature}${name.slice(end)}`;
    });
  }

  /**
   * The id, as it is stored, of the file that a signature opens at this address; undefined: none, or no longer.
   * @param organizationId and `id` as they stand in the address
   */
  fileOf(organizationId: string, id: string, signature: unknown): string | undefined {
    const [, file, ends, proof] = (typeof signature === 'string' && SIGNATURE.exec(signature)) || [];
    if (file === undefined || ends === undefined || proof === undefined) return undefined;
    const address = `${organizationId}/${id}`.toLowerCase();
    if (!timingSafeEqual(Buffer.from(proof, 'hex'), this.proof(file, ends, address))) return undefined;
    return Number.parseInt(ends, 16) * 1000 > this.clock.wallMs() ? uuidOfHex(file) : undefined;
  }

  private sign(organizationId: string, id: string, endsAt: number): string {
    const file = id.replaceAll('-', '');
    const ends = endsAt.toString(16).padStart(EXPIRY_HEX, '0');
    return file + ends + this.proof(file, ends, toCaller(`${organizationId}/${id}`)).toString('hex');
  }

  private proof(file: string, ends: string, address: string): Buffer {
    return createHmac('sha256', this.key).update(`${file}.${ends}.${address}`).digest();
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function endOf(name: string): number {
  let end = name.length;
  while (end > 1 && name.charAt(end - 1) === '.') end--;
  return end;
}
