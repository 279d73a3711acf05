import { Allow } from 'class-validator';
import { TextThat } from '../access/body-rules.js';

const MAX_LENGTH = 10_000;

/** A note of the test on the timeline. */
export class NoteBody {
  @TextThat((text) => text !== '' && text.length <= MAX_LENGTH, `must be a text of 1 to ${MAX_LENGTH} characters`)
  text!: string;
  @Allow() data?: unknown;
}
