import { BadRequestException } from '@nestjs/common';

type Json = Record<string, unknown>;

/** A body whose fields depend on its type, read one by one; null and the empty text count as absent. */
export class TextFields {
  constructor(readonly sent: Json) {}

  /**
   * A required field.
   * @throws BadRequestException
   */
  text(field: string): string {
    const value = this.optional(field);
    if (value === undefined) throw new BadRequestException([`${field} must be a string`]);
    return value;
  }

  /** @throws BadRequestException */
  optional(field: string): string | undefined {
    const value = this.sent[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new BadRequestException([`${field} must be a string`]);
    return value;
  }
}
