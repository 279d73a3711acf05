import { registerDecorator } from 'class-validator';

export const isHttpUrl = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 2000 && /^https?:\/\//i.test(value) && URL.canParse(value);

function field(name: string, message: string, validate: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message },
      validator: { validate },
    });
}

/** A URL that requests go to: http or https, at most 2,000 characters. */
export const IsHttpUrl = (): PropertyDecorator =>
  field('isHttpUrl', '$property must be an http or https URL of at most 2000 characters', isHttpUrl);

/** A list of names of events, at least one, each of which there is. */
export const AreEventNames = (names: readonly string[]): PropertyDecorator =>
  field(
    'areEventNames',
    `$property must be an array of: ${names.join(', ')}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => names.includes(name as string)),
  );

/** Text with something to see in it. */
export const IsNotBlank = (): PropertyDecorator =>
  field('isNotBlank', '$property must not be blank', (value) => typeof value === 'string' && /\S/.test(value));
