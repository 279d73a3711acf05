import { Module } from '@nestjs/common';
import { SandboxLimitsController } from './sandbox-limits.controller.js';
import { SandboxLimits } from './sandbox-limits.service.js';

/** Usage of a sandbox's rate limits, and resetting it. */
@Module({ controllers: [SandboxLimitsController], providers: [SandboxLimits] })
export class SandboxLimitsModule {}
