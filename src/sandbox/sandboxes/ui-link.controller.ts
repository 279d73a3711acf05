import { BadRequestException, Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { isLocalTarget, linkUrl, SignInLinks } from '../../auth/sign-in-links.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { Sandboxes } from './sandboxes.service.js';

/** One-time links into the web UI, signed in as somebody of the sandbox. */
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
  async make(@SandboxOf() { caller, sandbox }: SandboxCall, @Body() body: unknown): Promise<object> {
    const { user, to } = (body ?? {}) as { user?: string | null; to?: string | null };
    const faults = [
      ...(isAbsent(user) || (typeof user === 'string' && user !== '')
        ? []
        : ['user must be the id or the name of a user']),
      ...(isAbsent(to) || (typeof to === 'string' && isLocalTarget(to))
        ? []
        : ['to must be a path that begins with one /']),
    ];
    if (faults.length > 0) throw new BadRequestException(faults);
    if (this.settings.mode !== 'full') throw new RestError(409, 'no_ui');
    if (caller.person?.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    const person = await this.sandboxes.person(sandbox, isAbsent(user) ? sandbox.primaryOwnerId : user);
    if (caller.person && person.id === sandbox.primaryOwnerId && caller.person.userId !== person.id) {
      throw new RestError(403, 'not_admin');
    }
    const target = isAbsent(to) ? undefined : to;
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

const isAbsent = <T>(value: T | null | undefined): value is undefined | null => value === undefined || value === null;
