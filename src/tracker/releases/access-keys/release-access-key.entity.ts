import { Entity, Index } from 'typeorm';
import { sha256Hex } from '../../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { moment, reference, text } from '../../entity/fields.js';
import type { SeedThing } from '../../entity/seed-thing.js';
import { newReleaseKey, RELEASE_KEY_PREFIX, startOf } from './release-keys.js';

const inNoDocument = { nullable: true, seed: false } as const;

/** A key of a pipeline's tools (docs/reference/tracker.md#release-access-keys). */
@Entity('release_access_keys')
@Index('release_access_keys_hash', ['hash'], { unique: true })
@Index('release_access_keys_page', ['organizationId', 'createdAt', 'id'])
@Index('release_access_keys_of_pipeline', ['pipelineId'])
export class ReleaseAccessKey extends rowOf({
  pipelineId: reference('ReleasePipeline', { onDelete: 'CASCADE' }),
  /** Who made it: its calls see and do what that person may. */
  userId: reference('User', { seed: false }),
  label: text({ default: '' }),
  /** Of the key. */
  hash: text({ seed: 'token', seedDefault: true, token: RELEASE_KEY_PREFIX }),
  /** Its first characters. */
  start: text({ seed: false }),
  lastUsedAt: moment(inNoDocument),
  revokedAt: moment(inNoDocument),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ReleaseAccessKey: ReleaseAccessKey;
  }
}

/** No type of the wire: keys are made by the control plane. */
export const releaseAccessKeys = declareEntity('ReleaseAccessKey', ReleaseAccessKey, {
  alias: 'rk',
  isHidden: true,
  seeds: {
    under: 'pipelineId',
    as: 'access_keys',
    completed: withHash,
    filled: ({ creatorId }) => ({ userId: creatorId }),
  },
  changes: { name: 'release_access_key' },
  title: (a) => `${a}.label`,
});

/** A document's key as it is stored; one without a token has one that nobody knows. */
function withHash(key: SeedThing): SeedThing {
  const token = (key.values['hash'] as string | undefined) ?? newReleaseKey();
  return { ...key, values: { ...key.values, hash: sha256Hex(token), start: startOf(token) } };
}
