import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { parseTs } from '../store/message-ts.js';
import { toWireChannel, toWireIm } from '../wire/conversation-wire.js';
import { MAX_CONVERSATIONS, SIDEBAR, type SidebarRow } from './sidebar.queries.js';

/** How long an im without messages stays listed, in microseconds: 7 days. */
const EMPTY_IM_MICROS = 7 * 24 * 3_600_000_000;

class SidebarBody {
  /** By conversation: the newest `ts` that was seen. */
  @IsOptional() @IsObject() marks?: Record<string, unknown>;
}

/** The web UI's sidebar in one call. Nothing of it is stored: read marks are kept by the browser. */
@ApiTags('web UI')
@Controller('ui/sidebar')
export class SidebarController {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @Callers(['J'], { unseen: true })
  @ApiOperation({ summary: "The caller's conversations with what is unread; unread counts from the marks sent" })
  async sidebar(@RestCaller() caller: Identity, @RestBody() body: SidebarBody): Promise<object> {
    const marks = Object.entries(body.marks ?? {});
    if (marks.length > MAX_CONVERSATIONS) throw new RestError(400, 'too_many_marks');
    const known = marks.flatMap(([id, ts]) => {
      const micros = parseTs(ts);
      return micros === undefined ? [] : [[id, micros] as const];
    });
    const rows = await this.db.read<SidebarRow>(SIDEBAR, [
      caller.workspaceId,
      caller.userId,
      known.map(([id]) => id),
      known.map(([, micros]) => micros),
      Math.floor(this.clock.nowMicros()) - EMPTY_IM_MICROS,
      `<(@${caller.userId}|!here|!channel|!everyone)[|>]`,
    ]);
    return { conversations: rows.map((row) => toWire(row, caller.userId)) };
  }
}

function toWire(row: SidebarRow, viewerId: string): object {
  const shown =
    row.type === 'im'
      ? toWireIm(row, { viewerId, isUserDeleted: row.isUserDeleted })
      : toWireChannel(row, { flavour: 'list', isMember: true });
  return { ...shown, latest_ts: row.latest, unread: row.unread, mentions: row.mentions };
}
