import { newChoice } from '../../kernel/ids/ids.js';
import { seenId } from '../../kernel/clock/request-sandbox.js';

/** Colours that teams, labels and avatars get when nobody chose one. */
export const PALETTE = [
  '#5e6ad2',
  '#26b5ce',
  '#4cb782',
  '#f2c94c',
  '#f2994a',
  '#eb5757',
  '#bb87fc',
  '#95a2b3',
  '#0f783c',
  '#db6e1f',
] as const;

/** Any of them. */
export const pickColor = (): string => PALETTE[newChoice(PALETTE.length)] as string;

/** Always the same one for an id: the sum of its characters says which. */
export function colorOf(id: string): string {
  let sum = 0;
  for (const character of seenId(id)) sum += character.charCodeAt(0);
  return PALETTE[sum % PALETTE.length] as string;
}
