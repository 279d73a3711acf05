import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { TrackerRealtime } from './tracker-realtime.js';

/** The tracker on the realtime channel (tracker.md j). */
@Module({ imports: [AuthModule], providers: [TrackerRealtime] })
export class TrackerRealtimeModule {}
