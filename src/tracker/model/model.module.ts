import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { Access } from './access.js';
import { Callers } from './callers.js';
import { RequestLoading } from './loaders.js';
import { TrackerSetup } from './setup.js';
import { TrackerEvents } from './sync.js';
import { Viewers } from './viewer.js';

const doorsAndVerbs = [Access, Callers, RequestLoading, TrackerEvents, TrackerSetup, Viewers];

/** The doors of the tracker and what every folder of it needs; injectable in all of them. */
@Global()
@Module({ imports: [AuthModule], providers: doorsAndVerbs, exports: [AuthModule, ...doorsAndVerbs] })
export class TrackerModelModule {}
