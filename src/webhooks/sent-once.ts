import { Injectable } from '@nestjs/common';
import { Db } from '../kernel/database/db.js';
import { UNDER_WAY } from './deliveries.queries.js';

/** How long the end of a target waits until it was told of that, in milliseconds. */
const NOTICE_MS = 1_000;
const AGAIN_MS = 20;

/** The last news of a target that goes away: it is sent while the target is still there, by one attempt. */
@Injectable()
export class SentOnce {
  constructor(private readonly db: Db) {}

  /** Waits until the deliveries of these events were sent once, not for what is answered, and for a second at most. */
  async until(eventIds: readonly number[]): Promise<void> {
    const until = performance.now() + NOTICE_MS;
    while (performance.now() < until && (await this.db.read(UNDER_WAY, [[...eventIds]])).length > 0) {
      await new Promise((again) => setTimeout(again, AGAIN_MS));
    }
  }
}
