/*
 * What a text cannot say before it is stored, a message's ts for one: a blank stands there, which the statement that
 * stores the text fills in. Nothing else in a JSON text looks like one, as JSON escapes control characters.
 */

export const BLANK = {
  /** The ts of the message. */
  ts: '\u0001',
  /** The ts of the notice that follows a reply. */
  noticeTs: '\u0002',
  /** The message that a reply belongs to, as JSON without its last brace. */
  parent: '\u0003',
  /** The id of a message's author. */
  author: '\u0004',
} as const;

/** SQL for a text with a blank filled in. @param text, value expressions */
export const sqlFilled = (text: string, blank: keyof typeof BLANK, value: string): string =>
  `replace(${text}, chr(${BLANK[blank].charCodeAt(0)}), ${value})`;
