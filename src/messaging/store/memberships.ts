import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { memberJoined, memberLeft, type EventPlace } from '../events/chat-events.js';
import { channelLeft, groupLeft } from '../events/conversation-events.js';
import { MessageLog } from './message-log.js';
import { formatTs } from './message-ts.js';
import { joinMessage, leaveMessage } from './system-messages.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { REMOVE_MEMBER } from './memberships.queries.js';

/** Joining and leaving as everybody hears of it: the member's row, the event, the system message. */
@Injectable()
export class Memberships {
  constructor(
    private readonly setup: WorkspaceSetup,
    private readonly log: MessageLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds those who are not members yet, in the order given, and answers them: the primary key decides. The caller's
   * transaction holds the conversation.
   */
  async join(tx: Tx, place: EventPlace, userIds: readonly string[], inviterId?: string): Promise<string[]> {
    const added = new Set(await this.setup.addMembers(tx, place.conversation.id, userIds));
    const joined = userIds.filter((userId) => added.has(userId));
    await this.announceJoined(tx, place, joined, inviterId);
    return joined;
  }

  /** Tells of members that were added quietly (a channel's creator, a new user in #general): event and message each. */
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

  /** False when the user was no member. @param options.removedBy who did it, where it was not the user's own wish */
  async leave(
    tx: Tx,
    place: EventPlace,
    userId: string,
    { removedBy }: { removedBy: string | null },
  ): Promise<boolean> {
    const gone = await tx.query(REMOVE_MEMBER, [place.conversation.id, userId]);
    if (gone.length === 0) return false;
    const eventTs = formatTs(this.clock.nowMicros());
    tx.record(memberLeft({ ...place, userId, eventTs }));
    const left = place.conversation.type === 'public' ? channelLeft : groupLeft;
    tx.record(left({ ...place, userId, actorId: removedBy ?? userId, eventTs }));
    await this.log.append(tx, place, leaveMessage(place, userId, removedBy !== null));
    return true;
  }
}
