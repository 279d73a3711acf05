import type { Type } from '@nestjs/common';
import { Float, ID, InputType, type ReturnTypeFunc } from '@nestjs/graphql';
import { OptionalField } from './fields.js';
import { DateTimeOrDuration, TimelessDateOrDuration } from './scalars.js';

/**
 * A filter as it arrives: the keys of docs/reference/tracker.md#filters, already of their types, every `IDComparator`
 * value a UUID. The relation keys of the filter classes are added when the schema is built, so code reads filters by
 * this type.
 */
export type Filter = { readonly [key: string]: unknown };

interface Equality<T> {
  eq?: T | null;
  neq?: T | null;
  in?: T[] | null;
  nin?: T[] | null;
}

interface Range<T> extends Equality<T> {
  lt?: T | null;
  lte?: T | null;
  gt?: T | null;
  gte?: T | null;
}

/** Equality alone: of words, it takes their enum. */
export function EqualityOf<T>(type: ReturnTypeFunc): abstract new () => Equality<T> {
  const list = () => [type()] as [Type<T>];

  @InputType({ isAbstract: true })
  abstract class EqualityComparator implements Equality<T> {
    @OptionalField(type) eq?: T | null;
    @OptionalField(type) neq?: T | null;
    @OptionalField(list) in?: T[] | null;
    @OptionalField(list) nin?: T[] | null;
  }
  return EqualityComparator;
}

function RangeOf<T>(type: ReturnTypeFunc): abstract new () => Range<T> {
  @InputType({ isAbstract: true })
  abstract class RangeComparator extends EqualityOf<T>(type) implements Range<T> {
    @OptionalField(type) lt?: T | null;
    @OptionalField(type) lte?: T | null;
    @OptionalField(type) gt?: T | null;
    @OptionalField(type) gte?: T | null;
  }
  return RangeComparator;
}

/** UUIDs only. */
@InputType()
export class IDComparator extends EqualityOf<string>(() => ID) {}

/** UUIDs or identifiers (`ENG-12`). */
@InputType()
export class IssueIDComparator extends EqualityOf<string>(() => ID) {}

/** UUIDs or slug ids: projects. */
@InputType()
export class EntityIdentifierIdComparator extends EqualityOf<string>(() => ID) {}

@InputType({ isAbstract: true })
abstract class TextComparator extends EqualityOf<string>(() => String) {
  @OptionalField(() => String) eqIgnoreCase?: string | null;
  @OptionalField(() => String) neqIgnoreCase?: string | null;
  @OptionalField(() => String) startsWith?: string | null;
  @OptionalField(() => String) startsWithIgnoreCase?: string | null;
  @OptionalField(() => String) notStartsWith?: string | null;
  @OptionalField(() => String) endsWith?: string | null;
  @OptionalField(() => String) notEndsWith?: string | null;
  @OptionalField(() => String) contains?: string | null;
  @OptionalField(() => String) containsIgnoreCase?: string | null;
  @OptionalField(() => String) notContains?: string | null;
  @OptionalField(() => String) notContainsIgnoreCase?: string | null;
  @OptionalField(() => String) containsIgnoreCaseAndAccent?: string | null;
}

@InputType()
export class StringComparator extends TextComparator {}

/** Words of a fixed list, compared as texts. */
@InputType()
export class StringItemComparator extends TextComparator {}

/** A list of texts. */
@InputType()
export class StringArrayComparator {
  @OptionalField(() => StringItemComparator) some?: StringItemComparator | null;
  @OptionalField(() => StringItemComparator) every?: StringItemComparator | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}

@InputType()
export class SourceTypeComparator extends TextComparator {}

@InputType()
export class NullableStringComparator extends TextComparator {
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class NumberComparator extends RangeOf<number>(() => Float) {}

@InputType()
export class NullableNumberComparator extends RangeOf<number>(() => Float) {
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class EstimateComparator extends RangeOf<number>(() => Float) {
  @OptionalField(() => Boolean) null?: boolean | null;
  @OptionalField(() => [NullableNumberComparator]) and?: NullableNumberComparator[] | null;
  @OptionalField(() => [NullableNumberComparator]) or?: NullableNumberComparator[] | null;
}

@InputType()
export class BooleanComparator {
  @OptionalField(() => Boolean) eq?: boolean | null;
  @OptionalField(() => Boolean) neq?: boolean | null;
}

/** Whether there is such a relation. */
@InputType()
export class RelationExistsComparator extends BooleanComparator {}

/** Durations are resolved before a comparator is read: it holds moments. */
@InputType()
export class DateComparator extends RangeOf<Date>(() => DateTimeOrDuration) {}

@InputType()
export class NullableDateComparator extends RangeOf<Date>(() => DateTimeOrDuration) {
  @OptionalField(() => Boolean) null?: boolean | null;
}

/** Holds days as `YYYY-MM-DD`. */
@InputType()
export class NullableTimelessDateComparator extends RangeOf<string>(() => TimelessDateOrDuration) {
  @OptionalField(() => Boolean) null?: boolean | null;
}
