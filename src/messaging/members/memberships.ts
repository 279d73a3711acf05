import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { memberJoined, type EventPlace } from '../events/chat-events.js';
import { MessageLog } from '../messages/message-log.js';
import { formatTs } from '../store/message-ts.js';
import { joinMessage } from '../messages/system-messages.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';

/** Joining with all its effects: the member's row, the event, the system message. */
@Injectable()
export class Memberships {
  constructor(
    private readonly setup: WorkspaceSetup,
    private readonly log: MessageLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds users who are not members yet, in the order given, and returns them: the primary key decides. The caller's
   * transaction has locked the conversation.
   */
  async join(tx: Tx, place: EventPlace, userIds: readonly string[], inviterId?: string): Promise<string[]> {
    const added = new Set(await this.setup.addMembers(tx, place.conversation.id, userIds));
    const joined = userIds.filter((userId) => added.has(userId));
    await this.announceJoined(tx, place, joined, inviterId);
    return joined;
  }

  /** Records event and system message of members who were added without them (a channel's creator, a new user in #general). */
  async announceJoined(tx: Tx, place: EventPlace, userIds: readonly string[], inviterId?: string): Promise<void> {
    const eventTs = formatTs(this.clock.nowMicros());
    await this.log.appendAll(
      tx,
      place,
      userIds.map((userId) => ({
        draft: joinMessage(place, userId, inviterId),
        before: memberJoined({ ...place, userId, inviterId, eventTs }),
      })),
    );
  }
}
