import { Injectable } from '@nestjs/common';
import { newMark } from '../../kernel/ids/ids.js';
import type { UpdateInputOf } from '../entity/declare.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, type Writing } from '../entity/service.js';
import { TrashService } from '../entity/trash-service.js';
import { invalidArgument } from '../values/errors.js';
import { documentUrl, webFor } from '../values/urls.js';
import { type Document, documents } from './document.entity.js';

const OWNERS = documents.owners.map(({ property }) => property);

/** Documents (docs/reference/tracker.md#document). */
@Injectable()
export class DocumentsService extends TrashService<typeof documents> {
  constructor(needs: EntityNeeds) {
    super(documents, needs);
  }

  protected override async filled({ viewer }: Writing<Document>) {
    const { userId } = viewer;
    return { slugId: newMark(12), creatorId: userId, updatedById: userId, subscriberIds: [userId] };
  }

  protected override async revised(
    writing: Writing<Document>,
    input: UpdateInputOf<typeof documents>,
  ): Promise<Partial<Document>> {
    const document = writing.before as Document;
    const { viewer } = writing;
    return {
      ...otherOwners(input),
      ...(isChange(document, input) && { updatedById: viewer.userId }),
      ...this.trashing(writing, input.trashed),
    };
  }

  /** Payloads have ids alone, of projects and initiatives. */
  protected override async told(_writing: Writing<Document>, document: Document) {
    return { ...documents.data(document), subscriberIds: document.subscriberIds };
  }

  protected override async placeOf(writing: Writing<Document>, document: Document): Promise<Place> {
    const place = await super.placeOf(writing, document);
    const { viewer } = writing;
    return { ...place, url: documentUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, document) };
  }
}

const isChange = (document: Document, input: object): boolean =>
  Object.entries(input).some(([key, value]) => value !== (document as unknown as Record<string, unknown>)[key]);

/** What a document that moves is no longer on. @throws invalidArgument unless it is on exactly one thing afterwards */
function otherOwners(input: UpdateInputOf<typeof documents>): Partial<Document> {
  const given = Object.entries(input).filter(([key]) => OWNERS.includes(key));
  if (given.length === 0) return {};
  const to = given.filter(([, id]) => id !== null);
  if (to.length !== 1) {
    const names = `${OWNERS.slice(0, -1).join(', ')} or ${OWNERS.at(-1)}`;
    throw invalidArgument(given[0]?.[0] as string, 'exactlyOne', `Exactly one of ${names} must be defined`);
  }
  return Object.fromEntries(OWNERS.filter((key) => key !== to[0]?.[0]).map((key) => [key, null]));
}
