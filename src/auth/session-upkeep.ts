import { Injectable } from '@nestjs/common';
import { Upkeep } from '../kernel/database/upkeep.js';
import { Sessions } from './sessions.js';

/** Forgets sessions that are long over, so that their number is bounded by what people do in 30 days. */
@Injectable()
export class SessionUpkeep {
  constructor(upkeep: Upkeep, sessions: Sessions) {
    upkeep.register('forgetting old sessions', 10 * 60_000, (stopped) => sessions.sweep(stopped));
  }
}
