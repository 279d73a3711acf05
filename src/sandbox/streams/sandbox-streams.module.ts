import { Module } from '@nestjs/common';
import { SandboxStreamsController } from './sandbox-streams.controller.js';

/** Streams of a sandbox, and making them expire. */
@Module({ controllers: [SandboxStreamsController] })
export class SandboxStreamsModule {}
