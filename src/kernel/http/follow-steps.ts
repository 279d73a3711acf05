import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { currentStep } from '../clock/request-sandbox.js';

/**
 * Ends the turn of a call before its answer is sent, and lets its sandbox's clock go on, so that the next call of whoever
 * gets the answer comes after both (docs/decisions/determinism.md). To be called after the hooks that record answers.
 */
export function followSteps(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.addHook('onSend', (_request, _reply, payload, done) => {
    const step = currentStep();
    if (!step) return done(null, payload);
    const send = (): void => done(null, payload);
    step.end(true).then(send, send);
  });
}
