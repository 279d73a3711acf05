import { z } from 'zod';

/** Above it a page is cut, as the API cuts its own. */
export const LARGEST_PAGE = 200;

export const channelId = z
  .string()
  .min(1)
  .describe(
    'the conversation: its id (C…, D…, G…), a channel name (#general or general), or @handle for the direct messages with that person',
  );
export const ts = (what: string): z.ZodString =>
  z
    .string()
    .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be the ts of a message, such as 1767225600.000100')
    .describe(`${what}: its \`ts\`, such as 1767225600.000100, exactly as another tool showed it`);
export const text = z
  .string()
  .min(1)
  .describe('the message, at most 40,000 characters; mention people as <@U…> and channels as <#C…>, by id');
export const pageSize = z
  .int()
  .min(1)
  .optional()
  .describe('how many at most; 100 by default, more than 200 counts as 200');
export const cursor = z
  .string()
  .optional()
  .describe('`response_metadata.next_cursor` of the previous answer, for the page after it');
