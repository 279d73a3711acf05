import { Allow } from 'class-validator';
import { TextThat } from '../access/body-rules.js';

const MOST_LETTERS = 10_000;

/** A note of the test on the timeline. */
export class NoteBody {
  @TextThat((text) => text !== '' && text.length <= MOST_LETTERS, `must be a text of 1 to ${MOST_LETTERS} characters`)
  text!: string;
  @Allow() data?: unknown;
}
