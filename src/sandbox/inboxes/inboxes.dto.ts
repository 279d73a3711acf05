import { IsOptional } from 'class-validator';
import {
  MayBeAbsent,
  NoOtherFields,
  ObjectsOf,
  Part,
  TextThat,
  TrueOrFalse,
  WholeNumber,
} from '../access/body-rules.js';
import { AnswerHeaders } from '../faults/answer-headers.js';

const MAX_ANSWERS = 100;
const MAX_DELAY_MS = 30_000;

@NoOtherFields()
export class InboxAnswerBody {
  @MayBeAbsent() @TextThat(() => true, 'must be a text') body?: string;
  @MayBeAbsent() @TrueOrFalse() challenge?: boolean;
  @MayBeAbsent() @WholeNumber(200, 599) status = 200;
  @MayBeAbsent() @AnswerHeaders() headers?: Record<string, string>;
  @MayBeAbsent() @WholeNumber(0, MAX_DELAY_MS) delay_ms?: number;
}

@NoOtherFields()
export class InboxBody {
  @IsOptional()
  @TextThat((text) => text !== '' && text.length <= 80, 'must be a text of 1 to 80 characters')
  name: string | null = null;
  @MayBeAbsent() @TrueOrFalse() challenge = false;
  @MayBeAbsent()
  @ObjectsOf(MAX_ANSWERS, `must be an array of at most ${MAX_ANSWERS}`)
  @Part(() => InboxAnswerBody)
  answers: InboxAnswerBody[] = [];
}
