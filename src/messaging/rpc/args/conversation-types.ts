import type { ConversationType } from '../../store/conversation.entity.js';
import { ListArg } from './args.js';
import { Fault } from './coerce.js';

/** The words that `types` of conversations.list and users.conversations takes. */
export const CONVERSATION_TYPES = ['public_channel', 'private_channel', 'mpim', 'im'] as const;
export type ConversationTypeWord = (typeof CONVERSATION_TYPES)[number];

const TYPE_OF: Readonly<Record<ConversationTypeWord, ConversationType>> = {
  public_channel: 'public',
  private_channel: 'private',
  mpim: 'mpim',
  im: 'im',
};

export const typesOf = (words: readonly ConversationTypeWord[]): ConversationType[] =>
  words.map((word) => TYPE_OF[word]);

const unknownType = new Fault('holds an unknown type', 'invalid_types');

function readTypes(words: string[]): string[] | Fault {
  return words.every((word) => (CONVERSATION_TYPES as readonly string[]).includes(word)) ? words : unknownType;
}

export const TypesArg = (): PropertyDecorator =>
  ListArg({
    default: ['public_channel'],
    read: readTypes,
    notes: 'any of public_channel, private_channel, mpim, im; a JSON array is accepted (chosen)',
  });
