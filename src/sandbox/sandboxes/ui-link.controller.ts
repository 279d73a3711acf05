import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { linkUrl, SignInLinks } from '../../auth/sign-in-links.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { UiLinkBody } from './sandboxes.dto.js';
import { Sandboxes } from './sandboxes.service.js';

/** One-time links into the web UI, signed in as a person of the sandbox. */
@ApiTags('sandboxes')
@Controller('sandboxes')
export class UiLinkController {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly links: SignInLinks,
    private readonly publicUrl: PublicUrl,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  @Post(':id/ui-link')
  @HttpCode(201)
  @ForSandbox()
  @ApiOperation({
    operationId: 'makeUiLink',
    summary: 'A link that opens the web UI, once, within an hour. Refusals as of act-as; 409 no_ui without a web UI',
  })
  @ApiBody({
    schema: {
      type: 'object',
      properties: {
        user: { type: 'string', description: 'id or name; default: the primary owner' },
        to: { type: 'string', description: 'where in the web UI: begins with one slash' },
      },
    },
  })
  @ApiCreatedResponse({
    schema: {
      type: 'object',
      required: ['url', 'expires_at'],
      properties: { url: { type: 'string' }, expires_at: { type: 'integer', description: 'seconds' } },
    },
  })
  async make(
    @SandboxOf() { caller, sandbox }: SandboxCall,
    @SandboxBody({ reports: 'all' }) body: UiLinkBody,
  ): Promise<object> {
    const { user } = body;
    const target = body.to ?? undefined;
    if (this.settings.mode !== 'full') throw new RestError(409, 'no_ui');
    if (caller.person?.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    const person = await this.sandboxes.person(sandbox, user ?? sandbox.primaryOwnerId);
    if (caller.person && person.id === sandbox.primaryOwnerId && caller.person.userId !== person.id) {
      throw new RestError(403, 'not_admin');
    }
    const made = await this.links.make({
      accountId: person.id,
      teamId: sandbox.workspaceId,
      target,
      claims: { bound: true },
    });
    return {
      url: linkUrl(this.publicUrl.base, made.key, target),
      expires_at: Math.floor(made.expiresAt.getTime() / 1000),
    };
  }
}
