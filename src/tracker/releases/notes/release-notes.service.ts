import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import { newMark, newUuid } from '../../../kernel/ids/ids.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { Door } from '../../access/access.js';
import { brokenRule, unknownReference } from '../../values/errors.js';
import { releaseNoteUrl, webFor } from '../../values/urls.js';
import { type ReleaseNote, releaseNotes } from './release-note.entity.js';
import { releasesBetween, releasesOfNote, setNoteReleases } from './release-notes.queries.js';

type Create = CreateInputOf<typeof releaseNotes>;
type Update = UpdateInputOf<typeof releaseNotes>;
/** The releases that an input names: a list, or a range of their pipeline. */
type Covered = Pick<Update, 'releaseIds' | 'rangeFromReleaseId' | 'rangeToReleaseId'>;

/** A range grows with its pipeline. */
const MOST_RELEASES = 250;

/** Release notes (docs/reference/tracker.md#releasenote). */
@Injectable()
export class ReleaseNotesService extends EntityService<typeof releaseNotes> {
  private readonly releases: Door<'Release'>;

  constructor(needs: EntityNeeds) {
    super(releaseNotes, needs);
    this.releases = new Door(needs.db, 'Release');
  }

  protected override async filled({ viewer }: Writing<ReleaseNote>) {
    return { slugId: newMark(12), creatorId: viewer.userId };
  }

  protected override async added({ tx, viewer, at }: Writing<ReleaseNote>, note: ReleaseNote, input: Create) {
    await this.cover(tx, note, (await this.covered(tx, viewer, note.pipelineId, input)) ?? [], at);
    note.releaseIds = await releasesOfNote(tx, note.id);
  }

  protected override async revised({ tx, viewer, at, before }: Writing<ReleaseNote>, input: Update) {
    const note = before as ReleaseNote;
    const wanted = await this.covered(tx, viewer, note.pipelineId, input);
    if (!wanted || wanted.toSorted().join() === note.releaseIds.toSorted().join()) return {};
    await this.cover(tx, note, wanted, at);
    return { updatedAt: at };
  }

  protected override async store(
    writing: Writing<ReleaseNote> & { before: ReleaseNote },
    wanted: Partial<ReleaseNote>,
  ) {
    const row = await super.store(writing, wanted);
    return { ...row, releaseIds: await releasesOfNote(writing.tx, row.id) };
  }

  private async cover(tx: Tx, note: ReleaseNote, releaseIds: readonly string[], at: Date) {
    if (releaseIds.length > MOST_RELEASES) throw brokenRule(`a note is of at most ${MOST_RELEASES} releases`);
    const ids = releaseIds.map(() => newUuid());
    await setNoteReleases(tx, note, releaseIds, ids, at);
  }

  /** @throws unknownReference for a release of another pipeline; undefined when the input names none */
  private async covered(tx: Tx, viewer: Viewer, pipelineId: string, input: Covered): Promise<string[] | undefined> {
    const { releaseIds, rangeFromReleaseId: from, rangeToReleaseId: to } = input;
    for (const [field, ids] of Object.entries({
      releaseIds: releaseIds ?? [],
      rangeFromReleaseId: from ? [from] : [],
      rangeToReleaseId: to ? [to] : [],
    })) {
      const found = await this.releases.findMany(viewer, ids, tx, 'use');
      if (found.filter((release) => release.pipelineId === pipelineId).length < ids.length)
        throw unknownReference(field);
    }
    if (from || to) return releasesBetween(tx, pipelineId, from ?? null, to ?? null);
    return releaseIds === undefined ? undefined : (releaseIds ?? []);
  }

  protected override async told({ tx, viewer, before }: Writing<ReleaseNote>, note: ReleaseNote, place: Place) {
    const releaseIds = note === before ? note.releaseIds : await releasesOfNote(tx, note.id);
    return {
      ...releaseNotes.data(note),
      ...place.shown,
      releaseIds,
      lastReleaseId: releaseIds.at(-1),
      url: releaseNoteUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, note),
    };
  }

  protected override async placeOf(writing: Writing<ReleaseNote>, note: ReleaseNote): Promise<Place> {
    const place = await super.placeOf(writing, note);
    const { viewer } = writing;
    return { ...place, url: releaseNoteUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, note) };
  }
}
