import { Module } from '@nestjs/common';
import { SandboxLimitsController } from './sandbox-limits.controller.js';
import { SandboxLimits } from './sandbox-limits.service.js';

/** What is used of a sandbox's allowances, and to have it back. */
@Module({ controllers: [SandboxLimitsController], providers: [SandboxLimits] })
export class SandboxLimitsModule {}
