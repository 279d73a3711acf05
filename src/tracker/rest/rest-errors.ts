import { BadRequestException, Catch, Injectable, type ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '../../kernel/http/error.filter.js';
import { RestError } from '../../kernel/http/http-error.js';
import { TrackerError } from '../values/errors.js';

/**
 * A refusal of the product's verbs as REST (docs/reference/tracker.md#rest); routes name their own 404 and 409 before.
 */
function toRestError(error: TrackerError): Error {
  if (error.kind === 'forbidden') return new RestError(403, 'not_admin');
  return new BadRequestException([(error.presentable ?? error.message).replace(/\.$/, '')]);
}

@Injectable()
@Catch(TrackerError)
export class TrackerRestErrorsFilter extends ErrorFilter {
  override catch(error: TrackerError, host: ArgumentsHost): void {
    super.catch(toRestError(error), host);
  }
}
