import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../../../kernel/http/rest-body.js';
import type { Viewer } from '../../access/viewer.js';
import { ForUsers, RestViewer } from '../../rest/rest-caller.js';
import { CreateReleaseAccessKeyBody } from './release-access-keys.dto.js';
import { ReleaseAccessKeysService } from './release-access-keys.service.js';

/** Keys of release pipelines (docs/reference/tracker.md#release-access-keys). */
@ApiTags('tracker')
@Controller('release-access-keys')
export class ReleaseAccessKeysController {
  constructor(private readonly service: ReleaseAccessKeysService) {}

  @Post()
  @ForUsers()
  @ApiOperation({ summary: 'Make a key for the tools of a release pipeline; the token is shown only here' })
  create(@RestViewer() viewer: Viewer, @RestBody() body: CreateReleaseAccessKeyBody) {
    return this.service.create(viewer, body);
  }

  @Get()
  @ForUsers()
  @ApiOperation({ summary: "The caller's keys of release pipelines, newest first" })
  async list(@RestViewer() viewer: Viewer) {
    return { releaseAccessKeys: await this.service.list(viewer) };
  }

  @Delete(':id')
  @HttpCode(200)
  @ForUsers()
  @ApiOperation({ summary: 'End a key of a release pipeline. 404 release_access_key_not_found' })
  async revoke(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    await this.service.revoke(viewer, id);
    return { success: true };
  }
}
