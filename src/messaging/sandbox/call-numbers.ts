import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import { NEXT_CALL_NUMBERS } from './call-numbers.queries.js';
import { Injectable } from '@nestjs/common';

/** Calls of a sandbox are numbered at its workspace, whose row goes back in a reset. */
@Injectable()
export class CallNumbers {
  constructor(steps: CallSteps) {
    steps.numberWith(NEXT_CALL_NUMBERS);
  }
}
