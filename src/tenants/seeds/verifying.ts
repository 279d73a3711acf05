import { Injectable } from '@nestjs/common';
import { Handshakes } from '../../messaging/rest/handshakes.js';
import type { Seeded } from './known-objects.js';
import type { Seed } from './seed-types.js';

/** Handshakes that a document requests (`verify`). A failure is logged and retried later, as for any subscription. */
@Injectable()
export class Verifying {
  constructor(private readonly handshakes: Handshakes) {}

  /** After the document was stored: the apps' receivers may need what it made. */
  async ask(workspaceId: string, { apps }: Seed, seeded: Seeded): Promise<void> {
    const asked = apps.filter(({ verify }) => verify).flatMap(({ name }) => seeded.apps[name]?.app_id ?? []);
    await Promise.all(
      asked.map(async (appId) => {
        await this.handshakes.repeatNow(workspaceId, { appId });
        await this.handshakes.repeatLater(workspaceId, { appId });
      }),
    );
  }
}
