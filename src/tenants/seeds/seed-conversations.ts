import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { asAuthor, type App } from '../../messaging/access/apps-access.js';
import { BulkSetup } from '../../messaging/provisioning/bulk-setup.js';
import type { MessageApp } from '../../messaging/wire/message-wire.js';
import type { KnownObjects, SeedContext } from './known-objects.js';
import type { Seed, SeedChannel, SeedMessage } from './seed-types.js';
import { withoutAt } from '../../kernel/text/names.js';
import { SET_CHANNELS } from '../../messaging/provisioning/seeds.queries.js';

/** A message with its timestamp. */
export interface DatedMessage {
  readonly conversationId: string;
  readonly ts: number;
  readonly message: SeedMessage;
  readonly author: { readonly userId: string; readonly app: MessageApp | undefined };
  /** For a reply: the parent message of its thread. */
  root: DatedMessage | null;
  readonly replies: DatedMessage[];
}

interface Conversation {
  readonly id: string;
  readonly lastTs: number;
  readonly messages: readonly SeedMessage[];
}

/** Channels and direct messages of a document, and the times of their messages. */
@Injectable()
export class SeedConversations {
  constructor(
    private readonly setup: BulkSetup,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes missing channels, completes the others.
   * @throws RestError 409 name_taken
   */
  async addChannels(
    tx: Tx,
    context: SeedContext,
    channels: readonly SeedChannel[],
    known: KnownObjects,
  ): Promise<void> {
    const { workspaceId, adminId, onlyNew = false, inChannels = [] } = context;
    const membersOf = ({ members }: SeedChannel): string[] => members.flatMap((name) => known.member(name) ?? []);
    const missing = channels.filter(({ name }) => !known.channels.has(name));
    const there = channels.filter(({ name }) => known.channels.has(name));
    for (const { name, path } of there) {
      if (onlyNew && name !== 'general' && name !== 'random') {
        throw new RestError(409, 'name_taken', undefined, `${path}.name`);
      }
    }
    const ids = await this.setup.addChannels(
      tx,
      workspaceId,
      missing.map((channel) => ({
        ...channel,
        creatorId: adminId,
        members: [...(channel.withoutOwner ? [] : [adminId]), ...inChannels, ...membersOf(channel)],
      })),
    );
    for (const [i, { name, path }] of missing.entries()) {
      const id = ids[i];
      if (id === undefined) throw new RestError(409, 'name_taken', undefined, `${path}.name`);
      known.channels.set(name, { id, lastTs: 0 });
    }
    const said = there.map((channel) => ({ channel, id: known.channels.get(channel.name)?.id as string }));
    await this.setup.addMembers(
      tx,
      said.flatMap(({ channel, id }) => membersOf(channel).map((userId) => ({ conversationId: id, userId }))),
    );
    const labels = said.flatMap(({ channel: { topic, purpose }, id }) =>
      topic === undefined && purpose === undefined ? [] : [{ id, topic: topic ?? null, purpose: purpose ?? null }],
    );
    if (labels.length > 0) await tx.query(SET_CHANNELS, [JSON.stringify(labels)]);
  }

  /** All messages of a document with their times. Faults in these are added to `faults`. */
  async place(
    tx: Tx,
    context: SeedContext,
    seed: Seed,
    known: KnownObjects,
    faults: string[],
  ): Promise<DatedMessage[]> {
    const channels = seed.channels.map(({ name, messages }) => ({
      ...(known.channels.get(name) as { id: string; lastTs: number }),
      messages,
    }));
    const handles = new Map([...known.users].map(([name, { id }]) => [id, name]));
    const directs = await this.setup.openDirects(
      tx,
      context.workspaceId,
      seed.dms.map(({ members }) => members.map((name) => known.userId(name) as string)),
      handles,
    );
    const dms = seed.dms.map(({ messages }, i) => ({
      ...(directs[i] as { id: string; lastTs: number }),
      messages,
    }));
    return [...channels, ...dms].flatMap((conversation) => this.placeAll(conversation, known, faults));
  }

  /** Times ascend within a conversation; messages without one are 1 ms apart, ending now. */
  private placeAll({ id, lastTs, messages }: Conversation, known: KnownObjects, faults: string[]): DatedMessage[] {
    const now = this.clock.nowMicros();
    let last = Number(lastTs);
    const byRef = new Map<string, DatedMessage>();
    return messages.map((message, i) => {
      if (message.ts !== undefined && message.ts <= last) {
        faults.push(`${message.path}.ts: must be later than that of the message before`);
      }
      last = message.ts ?? Math.max(message.at ?? now - (messages.length - 1 - i) * 1000, last + 1);
      const bare = withoutAt(message.as);
      const person = known.person(bare);
      const app = person ? undefined : known.apps.get(bare);
      const placed: DatedMessage = {
        conversationId: id,
        ts: last,
        message,
        author: { userId: known.userId(bare) as string, app: app && asAuthor(app as unknown as App) },
        root: null,
        replies: [],
      };
      const parent = message.thread === undefined ? undefined : byRef.get(message.thread);
      if (parent) {
        placed.root = parent.root ?? parent;
        placed.root.replies.push(placed);
      }
      if (message.ref !== undefined) byRef.set(message.ref, placed);
      return placed;
    });
  }
}
