import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { derived, relationsOf } from '../../graphql/relations.js';
import { releaseNoteUrl } from '../../values/urls.js';
import { type ReleaseNote, releaseNotes } from './release-note.entity.js';
import { ReleaseNotesService } from './release-notes.service.js';

const { types } = releaseNotes;

/** docs/reference/tracker.md#releasenote. */
@Resolver(() => types.Type)
@WithEntity(
  releaseNotes,
  relationsOf<ReleaseNote>(() => types.Type, {
    url: derived((note, load, _args, { web }) => releaseNoteUrl(web, load.viewer.urlKey, note)),
    releases: derived(({ releaseIds }, load) => load.rowsById('Release', releaseIds)),
    releaseCount: derived(({ releaseIds }) => releaseIds.length),
    firstRelease: derived(({ releaseIds }, load) => load.row('Release', releaseIds[0] ?? null)),
    lastRelease: derived(({ releaseIds }, load) => load.row('Release', releaseIds.at(-1) ?? null)),
    // the content has the id of its note
    documentContent: derived(({ id, content, createdAt, updatedAt }) => ({
      id,
      content,
      createdAt,
      updatedAt,
      archivedAt: null,
    })),
  }),
)
export class ReleaseNotesResolver extends EntityResolver(releaseNotes) {
  constructor(service: ReleaseNotesService) {
    super(service);
  }
}
