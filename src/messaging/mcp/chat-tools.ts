import type { ToolSet } from '../../kernel/mcp/tool-set.js';
import { ChatApi } from './chat-api.js';
import {
  postMessage,
  replyToThread,
  addReaction,
  channelHistory,
  threadReplies,
  searchMessages,
} from './message-tools.js';
import { listChannels, getUsers, userProfile, authTest, openDm } from './people-tools.js';

/** The tools of docs/reference/mcp.md#chat-tools. */
export const chatTools: ToolSet<ChatApi> = {
  name: 'understudy-chat',
  title: 'Understudy chat',
  instructions:
    'Tools for one chat workspace; they act as the token they were given. Wherever an id is wanted, #channel and @handle do as well. A message is named by its conversation and its ts. svc_auth_test tells who you are. Where a tool is refused, the text begins with the code of the refusal and says what can be done.',
  tools: [
    listChannels,
    postMessage,
    replyToThread,
    addReaction,
    channelHistory,
    threadReplies,
    getUsers,
    userProfile,
    authTest,
    searchMessages,
    openDm,
  ],
  connect: (client, credential) => new ChatApi(client, credential),
  check: async (api) => {
    await api.call('auth.test');
  },
};
