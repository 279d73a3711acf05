import { Body, ValidationPipe, type ValidationError } from '@nestjs/common';

/** Rewrites the path at the start of a validation message: `users.0.name must …` to `users[0].name must …`. */
export const bracketed = (sentence: string): string =>
  sentence.replace(/^\S+/, (path) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'));

class BodyPipe extends ValidationPipe {
  protected override flattenValidationErrors(errors: ValidationError[]): string[] {
    return super.flattenValidationErrors(errors).map(bracketed);
  }
}

const pipe = new BodyPipe({ transform: true, whitelist: true });

/** The body of a control-plane call, validated against the parameter's class: 400 with a message for each fault. */
export const RestBody = (): ParameterDecorator => Body(pipe);
