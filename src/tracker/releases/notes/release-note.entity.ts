import { Int, registerEnumType } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import { Derived } from '../../../kernel/database/columns.js';
import { newMark } from '../../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computed, computedBy, constant, givenAlways, longText, reference, text } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { DocumentContent } from '../../graphql/references.types.js';
import { typeNamed } from '../../graphql/relations.js';
import { Reference, References } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { through } from '../../store/filter-keys.js';
import { bySlug } from '../../store/define-entity.js';

export enum ReleaseNoteGenerationStatus {
  completed = 'completed',
  pending = 'pending',
}
registerEnumType(ReleaseNoteGenerationStatus, { name: 'ReleaseNoteGenerationStatus' });

const TITLE_MAX = 255;

/** What releases of a pipeline bring (docs/reference/tracker.md#releasenote). */
@Entity('release_notes')
@Index('release_notes_page', ['organizationId', 'createdAt', 'id'])
@Index('release_notes_slug', ['organizationId', 'slugId'], { unique: true })
@Index('release_notes_of_pipeline', ['pipelineId', 'createdAt', 'id'])
export class ReleaseNote extends rowOf({
  pipelineId: reference('ReleasePipeline', { onDelete: 'CASCADE', owner: true, update: false }),
  title: text({ nullable: true, max: TITLE_MAX }),
  content: longText({ nullable: true, filter: false, shown: false }),
  slugId: text({ create: false, update: false, seed: false }),
  creatorId: reference('User', {
    nullable: true,
    create: false,
    update: false,
    through: false,
    shown: false,
    seed: 'as',
  }),
  releaseIds: givenAlways<string[]>(() => [String], { rules: [References()] }),
  rangeFromReleaseId: givenAlways<string>(() => String, { rules: [Reference()] }),
  rangeToReleaseId: givenAlways<string>(() => String, { rules: [Reference()] }),
  ...computedBy(() => [typeNamed('Release')], 'releases'),
  ...computedBy(() => Int, 'releaseCount'),
  ...computedBy(() => String, 'url'),
  ...computed(() => typeNamed('Release'), 'firstRelease', 'lastRelease'),
  ...computed(() => DocumentContent, 'documentContent'),
  generationStatus: {
    ...constant(() => ReleaseNoteGenerationStatus, null),
    options: { nullable: true, filter: false, event: false },
  },
  archivedAt: constant(() => DateTime, null),
}) {
  /** The oldest first. */
  @Derived(
    (a) => `ARRAY(SELECT x.release_id FROM release_note_releases x JOIN releases y ON y.id = x.release_id
      WHERE x.note_id = ${a}.id ORDER BY y.created_at, y.id)`,
  )
  releaseIds: string[];
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleaseNote: ReleaseNote;
  }
}

export const releaseNotes = declareEntity('ReleaseNote', ReleaseNote, {
  alias: 'rn',
  access: accessWith('ReleasePipeline', 'pipelineId'),
  lookup: bySlug,
  filter: {
    release: { key: through('Release', 'release_note_releases', 'note_id', 'release_id'), input: 'ReleaseFilter' },
  },
  event: { word: 'releaseNote', fires: true },
  mutations: ['create', 'update', 'delete'],
  seeds: {
    under: 'pipelineId',
    as: 'notes',
    filled: ({ creatorId }) => ({ slugId: newMark(12), creatorId }),
  },
  changes: { name: 'release_note' },
  title: (a) => `${a}.title`,
});
