import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Viewer } from '../access/viewer.js';
import { ForUsers, RestViewer } from '../rest/rest-caller.js';
import { CreateApiKeyBody } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

/** Personal API keys (docs/reference/tracker.md#rest). */
@ApiTags('tracker')
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly service: ApiKeysService) {}

  @Post()
  @ForUsers()
  @ApiOperation({ summary: 'Make a key that acts as the caller; the token is shown only here' })
  async create(@RestViewer() viewer: Viewer, @RestBody() body: CreateApiKeyBody) {
    const { id, label, token, createdAt } = await this.service.create(viewer, body.label);
    return { id, label, token, createdAt };
  }

  @Get()
  @ForUsers()
  @ApiOperation({ summary: "The caller's keys, newest first" })
  async list(@RestViewer() viewer: Viewer) {
    return { apiKeys: await this.service.list(viewer) };
  }

  @Delete(':id')
  @HttpCode(200)
  @ForUsers()
  @ApiOperation({ summary: 'End a key. 404 api_key_not_found' })
  async revoke(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    await this.service.revoke(viewer, id);
    return { success: true };
  }
}
