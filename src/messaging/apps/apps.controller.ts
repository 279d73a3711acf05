import { Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject, IsOptional } from 'class-validator';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { AppAdministration, TOKEN_KINDS, type TokenKind } from './app-administration.service.js';
import { AppDetails } from './app-details.service.js';
import { Apps } from './apps.service.js';

export class AppBody {
  /** docs/reference/control-plane.md#apps. */
  @IsObject() manifest!: Record<string, unknown>;
}

export class NewAppBody extends AppBody {
  /** False: the app is registered only, for somebody to install. */
  @IsOptional() @IsBoolean() install?: boolean;
}

export class RotateBody {
  /** Default: all scopes of the app. */
  @IsOptional() @IsIn(TOKEN_KINDS) kind?: TokenKind;
}

/** docs/reference/control-plane.md#apps. */
@ApiTags('apps')
@Controller('apps')
export class AppsController {
  constructor(
    private readonly apps: Apps,
    private readonly administration: AppAdministration,
    private readonly details: AppDetails,
  ) {}

  @Post()
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: 'Make an app of a manifest. Its tokens are shown only here. 409 command_taken' })
  @ApiQuery({ name: 'strict', required: false, description: 'true: what would be a warning is a fault' })
  create(
    @RestCaller() caller: Identity,
    @RestBody() body: NewAppBody,
    @Query('strict') strict: unknown,
  ): Promise<object> {
    return this.apps.create(caller, body.manifest, { strict: strict === 'true', install: body.install ?? true });
  }

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "The workspace's apps, without tokens; for admins with credentials" })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.apps.list(caller, page);
  }

  @Get(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'An app, with what is known of its tokens and sockets. 404 app_not_found' })
  one(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.details.one(caller, id);
  }

  @Get(':id/credentials')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'What its requests are signed with: for its creator or an admin. 404 app_not_found' })
  credentials(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.details.credentials(caller, id);
  }

  @Put(':id/manifest')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Replace the manifest; tokens stay, with the new scopes: its creator or an admin' })
  @ApiQuery({ name: 'strict', required: false, description: 'true: what would be a warning is a fault' })
  replaceManifest(
    @RestCaller() caller: Identity,
    @Param('id') id: string,
    @RestBody() body: AppBody,
    @Query('strict') strict: unknown,
  ): Promise<object> {
    return this.administration.replaceManifest(caller, id, body.manifest, strict === 'true');
  }

  @Post(':id/tokens/rotate')
  @HttpCode(200)
  @Callers(['J', 'B', 'U'], { counts: true })
  @ApiOperation({ summary: 'New tokens for old ones, which stop at once: its creator or an admin' })
  rotate(@RestCaller() caller: Identity, @Param('id') id: string, @RestBody() body: RotateBody): Promise<object> {
    return this.administration.rotate(caller, id, body.kind ?? undefined);
  }

  @Delete(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Remove an app: its creator or an admin. 409 cant_delete_default_app' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.administration.remove(caller, id);
    return { success: true };
  }
}
