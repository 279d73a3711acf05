import type { Conversation } from '../store/conversation.entity.js';

/**
 * A conversation's name as apps get it (docs/reference/control-plane.md#slash-commands): that of a public
 * channel, a word for the others.
 */
export const channelLabel = ({ type, name }: Pick<Conversation, 'type' | 'name'>): string =>
  type === 'im' ? 'directmessage' : type === 'public' ? (name ?? '') : 'privategroup';
