import { Controller, Get, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../model/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { Apps } from './apps.service.js';

export class AppBody {
  /** messaging.md E.9. */
  @IsObject() manifest!: Record<string, unknown>;
}

/** messaging.md E.9. */
@ApiTags('apps')
@Controller('apps')
export class AppsController {
  constructor(private readonly apps: Apps) {}

  @Post()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Make an app of a manifest. Its tokens are shown only here. 409 command_taken' })
  create(@RestCaller() caller: Identity, @RestBody() body: AppBody): Promise<object> {
    return this.apps.create(caller, body.manifest);
  }

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: "The workspace's apps, without tokens and secrets" })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.apps.list(caller, page);
  }
}
