import { Injectable } from '@nestjs/common';
import { Upkeep } from '../kernel/database/upkeep.js';
import { Sessions } from './sessions.js';

/** Deletes sessions that expired long ago, so that their number is bounded by the activity of 30 days. */
@Injectable()
export class SessionUpkeep {
  constructor(upkeep: Upkeep, sessions: Sessions) {
    upkeep.register('forgetting old sessions', 10 * 60_000, (stopped) => sessions.sweep(stopped));
  }
}
