import { Body, ValidationPipe, type ValidationError } from '@nestjs/common';

/** `users.0.name must …` as `users[0].name must …`: the path that a sentence begins with. */
export const bracketed = (sentence: string): string =>
  sentence.replace(/^\S+/, (path) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]'));

class BodyPipe extends ValidationPipe {
  protected override flattenValidationErrors(errors: ValidationError[]): string[] {
    return super.flattenValidationErrors(errors).map(bracketed);
  }
}

const pipe = new BodyPipe({ transform: true, whitelist: true });

/** The body of a control-plane call, as the parameter's class declares it: else 400 with a sentence for each fault. */
export const RestBody = (): ParameterDecorator => Body(pipe);
