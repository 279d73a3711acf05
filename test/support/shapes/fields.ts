/** Fields that objects on the wire share. Objects are strict: an undeclared field fails, whatever its value. */

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
/** Blocks as a user sent them, with ids added. */
export const userContent = z.array(z.record(z.string(), z.unknown())).min(1);
