import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../kernel/ids/same-secret.js';
import { Injectable } from '@nestjs/common';
import { InstanceSecrets } from '../../kernel/database/instance-secrets.js';

const MAC_BYTES = 5;
/** Instead of an attempt: the envelope carries a command or an interaction. */
const CALL = 255;

/**
 * Ids of envelopes: 24 hex digits. That of an event encodes the delivery and the attempt, so that any replica can
 * settle what another one sent, without a table of envelopes. They cannot be forged: an ack with an invalid id costs no
 * query.
 */
@Injectable()
export class EnvelopeIds {
  private readonly key: Buffer;

  constructor(secrets: InstanceSecrets) {
    this.key = secrets.key('socket envelopes');
  }

  of(deliveryId: number, attempt: number): string {
    return this.id(deliveryId, Math.min(attempt, CALL - 1));
  }

  /** A new one, for what is sent once. */
  ofCall(): string {
    return this.id(randomBytes(6).readUIntBE(0, 6), CALL);
  }

  private id(what: number, attempt: number): string {
    const plain = Buffer.alloc(7);
    plain.writeUIntBE(what, 0, 6);
    plain[6] = attempt;
    const mac = this.mac(plain);
    return Buffer.concat([mac, this.mask(plain, mac)]).toString('hex');
  }

  /** The delivery of an id; `call` if it has none, undefined for an id that is not ours. */
  deliveryOf(id: string): number | 'call' | undefined {
    if (!/^[0-9a-f]{24}$/.test(id)) return undefined;
    const bytes = Buffer.from(id, 'hex');
    const mac = bytes.subarray(0, MAC_BYTES);
    const plain = this.mask(bytes.subarray(MAC_BYTES), mac);
    if (!isSameSecret(this.mac(plain), mac)) return undefined;
    return plain[6] === CALL ? 'call' : plain.readUIntBE(0, 6);
  }

  private mac(plain: Buffer): Buffer {
    return createHmac('sha256', this.key).update('mac').update(plain).digest().subarray(0, MAC_BYTES);
  }

  private mask(bytes: Buffer, mac: Buffer): Buffer {
    const stream = createHmac('sha256', this.key).update('mask').update(mac).digest();
    return Buffer.from(bytes.map((byte, i) => byte ^ (stream[i] as number)));
  }
}
