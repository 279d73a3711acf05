import { BadRequestException, Body, ValidationPipe, type ArgumentMetadata, type ValidationError } from '@nestjs/common';

/** Rewrites the path at the start of a validation message: `users.0.name must …` to `users[0].name must …`. */
export const bracketed = (sentence: string): string =>
  sentence.replace(/^\S+/, (path) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'));

/** The most fields of an object: class-transformer compares the name of each with all others. */
const MAX_FIELDS = 1_000;

/** @throws BadRequestException naming the object */
function requireFewFields(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = Object.entries(value);
  if (!Array.isArray(value) && fields.length > MAX_FIELDS) {
    throw new BadRequestException([`${bracketed(path || 'body')} must have at most ${MAX_FIELDS} fields`]);
  }
  for (const [name, field] of fields) requireFewFields(field, path === '' ? name : `${path}.${name}`);
}

class BodyPipe extends ValidationPipe {
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    requireFewFields(value, '');
    return super.transform(value, metadata);
  }

  protected override flattenValidationErrors(errors: ValidationError[]): string[] {
    return super.flattenValidationErrors(errors).map(bracketed);
  }
}

const pipe = new BodyPipe({ transform: true, whitelist: true });

/** The body of a control-plane call, validated against the parameter's class: 400 with a message for each fault. */
export const RestBody = (): ParameterDecorator => Body(pipe);
