import { IsOptional } from 'class-validator';
import { AnObject, MayBeAbsent, OneOf, Part, TextThat, TrueOrFalse, WholeNumber } from '../access/body-rules.js';
import { IsMoment, MAX_TICK_MS } from '../clock/clock.dto.js';

const DOMAIN = /^[a-z0-9](-?[a-z0-9]){0,20}$/;
const TEAM_ID = /^T0[0-9A-Z]{9}$/;

export class TeamFields {
  @MayBeAbsent() @TextThat((text) => TEAM_ID.test(text), 'must be an id: T0 and nine of 0-9 and A-Z') id?: string;
  @MayBeAbsent()
  @TextThat((text) => text.trim() !== '' && text.length <= 255, 'must be a text of 1 to 255 characters')
  name?: string;
  @MayBeAbsent()
  @TextThat((text) => DOMAIN.test(text), 'must be 1 to 21 of a-z and 0-9, with single "-" between')
  domain?: string;
  @IsOptional() @TrueOrFalse() joinable: boolean | null = false;
}

export class ClockFields {
  @MayBeAbsent() @IsMoment() now?: string | number;
  @MayBeAbsent() @TrueOrFalse() frozen = false;
  @MayBeAbsent() @WholeNumber(0, MAX_TICK_MS) tick_ms = 0;
}

/** Those fields of a document that are about its sandbox, beside what PATCH sets. */
export class SandboxFields {
  @MayBeAbsent() @OneOf(['server', 'own'], 'must be server or own') id_space?: 'server' | 'own';
  @MayBeAbsent() @TrueOrFalse() deterministic = false;
  /** What is made up is derived from it. */
  @MayBeAbsent() @WholeNumber(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) random_seed = 1;
  @MayBeAbsent() @AnObject() @Part(() => TeamFields) team?: TeamFields;
  @IsOptional() @AnObject() @Part(() => ClockFields) clock?: ClockFields | null;
}
