import type { Caller } from '../access/conversation-access.js';
import { SYSTEM_SUBTYPES, TOMBSTONE, type Message } from '../store/message.entity.js';

/** System messages: no one may edit or delete them. */
export const isSystemMessage = ({ subtype }: Pick<Message, 'subtype'>): boolean =>
  subtype !== null && (subtype === TOMBSTONE || SYSTEM_SUBTYPES.has(subtype));

/** A bot token owns what its app's bot wrote, under whatever name; people own what they wrote themselves. */
export const isOwn = (caller: Caller, message: Pick<Message, 'userId' | 'botId'>): boolean =>
  caller.kind === 'bot'
    ? message.botId !== null && message.botId === caller.app?.botId
    : message.botId === null && message.userId === caller.userId;
