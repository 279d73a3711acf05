import type {
  AuthTestResponse,
  ChatDeleteResponse,
  ChatPostMessageResponse,
  ChatUpdateResponse,
  ConversationsArchiveResponse,
  ConversationsCreateResponse,
  ConversationsHistoryResponse,
  ConversationsInfoResponse,
  ConversationsInviteResponse,
  ConversationsJoinResponse,
  ConversationsKickResponse,
  ConversationsLeaveResponse,
  ConversationsListResponse,
  ConversationsMembersResponse,
  ConversationsOpenResponse,
  ConversationsRenameResponse,
  ConversationsRepliesResponse,
  ConversationsSetPurposeResponse,
  ConversationsSetTopicResponse,
  ReactionsAddResponse,
  ReactionsRemoveResponse,
  SearchMessagesResponse,
  UsersInfoResponse,
  UsersListResponse,
  UsersProfileGetResponse,
  UsersProfileSetResponse,
  UsersSetPresenceResponse,
} from '@slack/web-api';
import type { z } from 'zod';
import type { answers } from '../support/shapes/answers.js';

/**
 * Compares the official client's types of answers with our declared answers: a field of another type is a compile
 * error. Nothing here runs; other specs check the actual answers against the declarations.
 */

/** The client's types are generated from samples and have no null. Content of users is excluded from the comparison. */
type AsTheClientSees<T> = T extends null
  ? undefined
  : T extends readonly (infer Item)[]
    ? AsTheClientSees<Item>[]
    : T extends object
      ? { [K in keyof T]: K extends 'blocks' | 'attachments' | 'metadata' ? never : AsTheClientSees<T[K]> }
      : T;

type Answer<M extends keyof typeof answers> = AsTheClientSees<z.infer<(typeof answers)[M]>>;

/** Compiles only if `Wire` is assignable to `Expected`. */
type Fits<Expected, Wire extends Expected> = Wire;

export interface Checked {
  'auth.test': Fits<AuthTestResponse, Answer<'auth.test'>>;
  'chat.delete': Fits<ChatDeleteResponse, Answer<'chat.delete'>>;
  'chat.postMessage': Fits<ChatPostMessageResponse, Answer<'chat.postMessage'>>;
  'chat.update': Fits<ChatUpdateResponse, Answer<'chat.update'>>;
  'conversations.archive': Fits<ConversationsArchiveResponse, Answer<'conversations.archive'>>;
  'conversations.create': Fits<ConversationsCreateResponse, Answer<'conversations.create'>>;
  'conversations.history': Fits<ConversationsHistoryResponse, Answer<'conversations.history'>>;
  'conversations.info': Fits<ConversationsInfoResponse, Answer<'conversations.info'>>;
  'conversations.invite': Fits<ConversationsInviteResponse, Answer<'conversations.invite'>>;
  'conversations.join': Fits<ConversationsJoinResponse, Answer<'conversations.join'>>;
  'conversations.kick': Fits<ConversationsKickResponse, Answer<'conversations.kick'>>;
  'conversations.leave': Fits<ConversationsLeaveResponse, Answer<'conversations.leave'>>;
  'conversations.list': Fits<ConversationsListResponse, Answer<'conversations.list'>>;
  'conversations.members': Fits<ConversationsMembersResponse, Answer<'conversations.members'>>;
  'conversations.open': Fits<ConversationsOpenResponse, Answer<'conversations.open'>>;
  'conversations.rename': Fits<ConversationsRenameResponse, Answer<'conversations.rename'>>;
  'conversations.replies': Fits<ConversationsRepliesResponse, Answer<'conversations.replies'>>;
  'conversations.setPurpose': Fits<ConversationsSetPurposeResponse, Answer<'conversations.setPurpose'>>;
  'conversations.setTopic': Fits<ConversationsSetTopicResponse, Answer<'conversations.setTopic'>>;
  'reactions.add': Fits<ReactionsAddResponse, Answer<'reactions.add'>>;
  'reactions.remove': Fits<ReactionsRemoveResponse, Answer<'reactions.remove'>>;
  'search.messages': Fits<SearchMessagesResponse, Answer<'search.messages'>>;
  'users.info': Fits<UsersInfoResponse, Answer<'users.info'>>;
  'users.list': Fits<UsersListResponse, Answer<'users.list'>>;
  'users.profile.get': Fits<UsersProfileGetResponse, Answer<'users.profile.get'>>;
  'users.profile.set': Fits<UsersProfileSetResponse, Answer<'users.profile.set'>>;
  'users.setPresence': Fits<UsersSetPresenceResponse, Answer<'users.setPresence'>>;
}

/** Compiles only if every method is in `Checked`. */
export type Complete = Fits<never, Exclude<keyof typeof answers, keyof Checked>>;
