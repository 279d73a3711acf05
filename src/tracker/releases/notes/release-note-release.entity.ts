import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { reference } from '../../entity/fields.js';

/** A release that a note is of. */
@Entity('release_note_releases')
@Index('release_note_releases_pair', ['noteId', 'releaseId'], { unique: true })
@Index('release_note_releases_page', ['organizationId', 'createdAt', 'id'])
@Index('release_note_releases_of_release', ['releaseId'])
export class ReleaseNoteRelease extends rowOf({
  noteId: reference('ReleaseNote', { onDelete: 'CASCADE' }),
  releaseId: reference('Release', { onDelete: 'CASCADE' }),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleaseNoteRelease: ReleaseNoteRelease;
  }
}

/** Written with its note: the wire has none. */
export const releaseNoteReleases = declareEntity('ReleaseNoteRelease', ReleaseNoteRelease, {
  alias: 'rnr',
  isHidden: true,
  seeds: { under: 'noteId', as: 'releases', names: { property: 'releaseId' } },
  changes: { name: 'release_note_release' },
});
