import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { Registrations } from './registrations.service.js';

export class DistributionBody {
  /** Whether the app may be installed outside its home. */
  @IsBoolean() distributed!: boolean;
}

/** docs/reference/installing.md#registration. */
@ApiTags('apps')
@Controller('apps')
export class RegistrationsController {
  constructor(private readonly registrations: Registrations) {}

  @Post(':id/client-secret/rotate')
  @HttpCode(200)
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: 'A new client secret; the old one stops at once: its creator or an admin' })
  rotateSecret(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.registrations.rotateSecret(caller, id);
  }

  @Put(':id/distribution')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Whether the app may be installed in other workspaces: its creator or an admin' })
  distribute(
    @RestCaller() caller: Identity,
    @Param('id') id: string,
    @RestBody() body: DistributionBody,
  ): Promise<object> {
    return this.registrations.distribute(caller, id, body.distributed);
  }

  @Get(':id/installations')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'The workspaces in which the app is installed: its creator or an admin of its home' })
  installations(@RestCaller() caller: Identity, @Param('id') id: string, @PageOf() page: Page): Promise<object> {
    return this.registrations.installations(caller, id, page);
  }

  @Delete(':id/installation')
  @Callers(['J', 'B', 'U'], { admin: true })
  @ApiOperation({ summary: 'Uninstall an app from this workspace. 404 app_not_found, not_installed' })
  async uninstall(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.registrations.uninstall(caller, id);
    return { success: true };
  }
}
