import { BadRequestException, Injectable } from '@nestjs/common';
import { RestError } from '../../../kernel/http/http-error.js';
import type { ActingPerson, ProductAct, ProductActed } from '../../../kernel/sandbox/product-acts.js';
import { Viewers, type Viewer } from '../../access/viewer.js';
import { TrackerError } from '../../values/errors.js';
import type { Sent } from './sent-fields.js';

/** The users of the tracker for whom people's acts are done (docs/reference/acting.md#verbs). */
@Injectable()
export class ActingViewers {
  constructor(private readonly viewers: Viewers) {}

  /** @throws RestError 404 user_not_found */
  async of({ tenantId, accountId }: ActingPerson): Promise<Viewer> {
    const viewer = await this.viewers.ofPerson(tenantId, accountId);
    if (!viewer) throw new RestError(404, 'user_not_found');
    return viewer;
  }

  /** @param unknown the code for what is not there or not seen: `issue_not_found` */
  act(unknown: string, act: (viewer: Viewer, sent: Sent) => Promise<ProductActed>): ProductAct {
    return async (person, sent) => {
      const viewer = await this.of(person);
      return act(viewer, sent).catch((error: unknown) => {
        throw error instanceof TrackerError ? refusalOf(error, unknown) : error;
      });
    };
  }
}

/** A refusal of the tracker in the format of human actions (docs/reference/acting.md#errors). */
function refusalOf(error: TrackerError, unknown: string): Error {
  if (error.kind === 'notFound') return new RestError(404, unknown);
  if (error.kind === 'forbidden') return new RestError(403, 'forbidden');
  const broken = (error.validationErrors ?? []).flatMap(({ constraints = {} }) => Object.values(constraints));
  return new BadRequestException(broken.length > 0 ? broken : [error.presentable ?? error.message]);
}
