import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { TrackerRealtime } from './tracker-realtime.js';

/** The tracker on the realtime channel (docs/reference/realtime.md#tracker). */
@Module({ imports: [AuthModule], providers: [TrackerRealtime] })
export class TrackerRealtimeModule {}
