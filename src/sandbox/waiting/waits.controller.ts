import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import {
  between,
  described,
  flag,
  integer,
  listOf,
  MATCHER,
  objectOf,
  oneOf,
  orNull,
  text,
} from '../access/schemas.js';
import { DIFFERS_SCHEMA, ENTRY_SCHEMA } from '../timeline/timeline.schemas.js';
import { readWait } from './wait-request.js';
import { WAITS } from './wait-kinds.js';
import { WaitBody } from './waits.dto.js';
import { Waits } from './waits.service.js';

const WAIT_BODY = objectOf(
  { for: oneOf(...WAITS) },
  {
    where: orNull(MATCHER),
    after: described(orNull(text), 'a cursor, `start` or `now`; default: the last mark'),
    ephemeral: { ...flag, description: 'with `message`: an ephemeral one; the same as the subject `ephemeral`' },
    count: { ...between(1, 1_000), default: 1 },
    timeout_ms: { ...between(0, 60_000), default: 5_000 },
    quiet_ms: { ...between(0, 60_000), default: 200 },
  },
);

const WAITED = objectOf(
  { matched: flag, entries: listOf(ENTRY_SCHEMA), cursor: text, waited_ms: integer },
  { closest: listOf(objectOf({ entry: ENTRY_SCHEMA, differs: DIFFERS_SCHEMA })) },
);

/** Wait instead of sleep (docs/reference/sandboxes.md#waiting). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class WaitsController {
  constructor(private readonly waits: Waits) {}

  @Post('wait')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'wait', summary: 'Wait until something has happened, or until nothing does' })
  @ApiBody({ schema: WAIT_BODY })
  @ApiOkResponse({ schema: WAITED })
  wait(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'path', requiresObject: true }) body: WaitBody,
  ): Promise<object> {
    return this.waits.wait(sandbox.tenantId, readWait(body));
  }
}
