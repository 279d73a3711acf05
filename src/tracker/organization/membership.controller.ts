import { Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AccessTokenClaims } from '../../auth/access-tokens.js';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Viewer } from '../access/viewer.js';
import { ForAccounts, ForAdmins, ForUsers, RestAccount, RestViewer } from '../rest/rest-caller.js';
import { ChangeOrganizationBody, CreateOrganizationBody, JoinOrganizationBody } from './membership.dto.js';
import { MembershipService } from './membership.service.js';

/** How accounts come into organizations (docs/reference/tracker.md#rest). */
@ApiTags('tracker')
@Controller('organization')
export class MembershipController {
  constructor(private readonly service: MembershipService) {}

  @Post()
  @ForAccounts()
  @ApiOperation({ summary: 'Make an organization; answers a session that claims it. 409 url_key_taken' })
  create(@RestAccount() account: AccessTokenClaims, @RestBody() body: CreateOrganizationBody) {
    return this.service.create(account, body);
  }

  @Post('join')
  @HttpCode(200)
  @ForAccounts()
  @ApiOperation({ summary: 'Join an organization or switch to it; answers a session that claims it. 404, 403' })
  join(@RestAccount() account: AccessTokenClaims, @RestBody() body: JoinOrganizationBody) {
    return this.service.join(account, body.urlKey);
  }

  @Put()
  @ForAdmins()
  @ApiOperation({ summary: 'Say whether an organization without a workspace may be joined: its admins' })
  change(@RestViewer() viewer: Viewer, @RestBody() body: ChangeOrganizationBody) {
    return this.service.change(viewer, body);
  }

  @Get()
  @ForUsers()
  @ApiOperation({ summary: "The caller's organization and the caller in it" })
  get(@RestViewer() viewer: Viewer) {
    return this.service.of(viewer);
  }
}
