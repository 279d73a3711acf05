import { Body, ValidationPipe } from '@nestjs/common';

const pipe = new ValidationPipe({ transform: true, whitelist: true });

/** The body of a control-plane call, as the parameter's class declares it: else 400 with a sentence for each fault. */
export const RestBody = (): ParameterDecorator => Body(pipe);
