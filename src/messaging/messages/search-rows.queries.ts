/* Hand-written: parts of the statements that store messages: what search.messages finds them by (docs/decisions/search-index.md). */

/** The rows of the messages of the part `msg`. @param author SQL of who says it: the user, or the bot of a bot_message */
export const sqlSearchRows = (author: string): string => `
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, workspace_id, ${author}, lower(text) FROM msg`;

/** That the messages of the part `msg` are in a thread. */
export const SQL_IN_THREAD = `
     INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
     SELECT conversation_id, ts, 'thread', workspace_id FROM msg`;
