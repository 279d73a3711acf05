/** What objects of the wire are made of. Objects are strict: a field that is not declared fails, whatever its value. */

import { z } from 'zod';

export const id = (prefix: string) => z.string().regex(new RegExp(`^(?:${prefix})0[0-9A-Z]{9}$`));
export const teamId = id('T');
export const userId = id('U');
export const channelId = id('[CDG]');
export const ts = z.string().regex(/^\d{10}\.\d{6}$/);
export const seconds = z.int().min(0);
export const cursor = z.strictObject({ next_cursor: z.string() });
export const warnings = {
  warning: z.string().optional(),
  response_metadata: z.strictObject({ warnings: z.array(z.string()) }).optional(),
};
/** What a user sent, with ids filled in. */
export const userContent = z.array(z.record(z.string(), z.unknown())).min(1);
