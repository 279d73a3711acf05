import { Injectable } from '@nestjs/common';
import { newMark } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { UpdateInputOf } from '../entity/declare.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import type { EventAction } from '../events/tracker-events.js';
import { mutate } from '../store/mutation.js';
import { invalidArgument } from '../values/errors.js';
import { documentUrl, webFor } from '../values/urls.js';
import { type Document, documents } from './document.entity.js';

const OWNERS = documents.owners.map(({ property }) => property);

/** Documents (docs/reference/tracker.md#document). */
@Injectable()
export class DocumentsService extends EntityService<typeof documents> {
  constructor(needs: EntityNeeds) {
    super(documents, needs);
  }

  /** Into the trash, where it can be taken out again. */
  trash(viewer: Viewer, id: string) {
    return this.put(viewer, id, trashedAt);
  }

  override unarchive(viewer: Viewer, id: string) {
    return this.put(viewer, id, () => ({ archivedAt: null, trashed: null }));
  }

  private put(viewer: Viewer, id: string, wanted: (document: Document, at: Date) => Partial<Document>) {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const at = this.needs.clock.now();
      return { entity: await this.store({ tx, viewer, at, before, referred: {} }, wanted(before, at)) };
    });
  }

  protected override async filled({ viewer }: Writing<Document>) {
    const { userId } = viewer;
    return { slugId: newMark(12), creatorId: userId, updatedById: userId, subscriberIds: [userId] };
  }

  protected override async revised(
    { viewer, before, at }: Writing<Document>,
    input: UpdateInputOf<typeof documents>,
  ): Promise<Partial<Document>> {
    const document = before as Document;
    const { trashed } = input;
    return {
      ...otherOwners(input),
      ...(isChange(document, input) && { updatedById: viewer.userId }),
      ...(trashed === true && trashedAt(document, at)),
      ...(trashed !== undefined && trashed !== true && { trashed: null, archivedAt: null }),
    };
  }

  /** Going to the trash is its end to those who are told. */
  protected override record(writing: Writing<Document>, action: EventAction, row: Document): Promise<void> {
    const { before } = writing;
    if (action === 'update' && before && row.trashed === true && before.trashed !== true)
      return super.record(writing, 'remove', before);
    return super.record(writing, action, row);
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

/** Moves it to the trash; one that is there already keeps its time. */
const trashedAt = (document: Document, at: Date): Partial<Document> =>
  document.trashed === true ? {} : { trashed: true, archivedAt: at };

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
