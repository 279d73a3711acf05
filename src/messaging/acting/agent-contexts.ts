import { BadRequestException, Injectable } from '@nestjs/common';
import type { Identity } from '../access/identity.js';
import { isJsonObject } from '../wire/text.js';
import { ActNames } from './act-names.js';

type Json = Record<string, unknown>;

const MAX_ENTITIES = 20;
const wrong = 'context must be a channel, {channel}, {message}, {canvas}, {list}, a list of these, or null';

/** Reads what a person looks at beside an agent (docs/reference/acting.md#contexts). */
@Injectable()
export class AgentContexts {
  constructor(private readonly names: ActNames) {}

  /** As events of an agent show it. @throws BadRequestException, MessagingError channel_not_found */
  async ofAgent(person: Identity, sent: unknown): Promise<object> {
    if (sent === undefined || sent === null) return {};
    const list: unknown[] = Array.isArray(sent) ? sent : [sent];
    if (list.length > MAX_ENTITIES) throw new BadRequestException([wrong]);
    const entities: Json[] = [];
    for (const item of list) entities.push({ ...(await this.entity(person, item)), team_id: person.workspaceId });
    return { entities };
  }

  /** As events of an assistant show it: one channel. @throws BadRequestException, MessagingError channel_not_found */
  async ofAssistant(person: Identity, sent: unknown): Promise<object> {
    if (sent === undefined || sent === null) return {};
    const only: unknown = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
    const named = isJsonObject(only) ? only['channel'] : only;
    if (typeof named !== 'string') throw new BadRequestException(['context must be one channel, or null']);
    return {
      channel_id: await this.names.conversation(person, named),
      team_id: person.workspaceId,
      enterprise_id: null,
    };
  }

  private async entity(person: Identity, item: unknown): Promise<Json> {
    if (typeof item === 'string') return this.entity(person, { channel: item });
    if (!isJsonObject(item)) throw new BadRequestException([wrong]);
    const { channel, message, canvas, list } = item;
    if (typeof channel === 'string') {
      return { type: 'slack#/types/channel_id', value: await this.names.conversation(person, channel) };
    }
    if (typeof canvas === 'string') return { type: 'slack#/types/canvas_id', value: canvas };
    if (typeof list === 'string') return { type: 'slack#/types/list_id', value: list };
    if (isJsonObject(message) && typeof message['channel'] === 'string' && typeof message['ts'] === 'string') {
      const channelId = await this.names.conversation(person, message['channel']);
      return { type: 'slack#/types/message_context', value: { message_ts: message['ts'], channel_id: channelId } };
    }
    throw new BadRequestException([wrong]);
  }
}
