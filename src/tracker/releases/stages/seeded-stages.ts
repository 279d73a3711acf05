import type { SeedThing } from '../../entity/seed-thing.js';
import { DEFAULT_STAGES, STAGE_TYPES, type StageType, timesInStage } from './default-stages.js';

type Values = Readonly<Record<string, unknown>>;

/** A pipeline of a seed document with the stages that it has by itself; its releases stand in one of them. */
export function withStages(pipeline: SeedThing, at: Date): SeedThing {
  const stages = stagesOf(pipeline);
  const others = pipeline.things.filter(({ entity }) => entity !== 'ReleaseStage');
  const first = pipeline.values['type'] === 'continuous' ? 'completed' : 'started';
  const byDefault = stages.find(({ values }) => values['type'] === first)?.values['name'] as string;
  const things = others.map((thing) => (thing.entity === 'Release' ? inStage(thing, stages, byDefault, at) : thing));
  return { ...pipeline, things: [...stages, ...things] };
}

/** Those of the document, and for each type that none of them has that of the defaults; in the order of their types. */
function stagesOf({ things, path }: SeedThing): SeedThing[] {
  const listed = things
    .filter(({ entity }) => entity === 'ReleaseStage')
    .map((stage) => ({ ...stage, values: { ...stage.values, type: typeOf(stage.values) } }));
  const missing = DEFAULT_STAGES.filter(({ type }) => !listed.some(({ values }) => values.type === type));
  const added = missing.map((values) => ({
    entity: 'ReleaseStage' as const,
    under: 'pipelineId',
    id: undefined,
    at: undefined,
    values: { ...values },
    names: [],
    things: [],
    path,
  }));
  const rank = (values: Values): number => STAGE_TYPES.indexOf(values['type'] as StageType);
  return [...listed, ...added]
    .toSorted((one, other) => rank(one.values) - rank(other.values))
    .map((stage, position) => ({ ...stage, values: { color: colorOf(stage.values), position, ...stage.values } }));
}

/** What a document does not say is told by the name. */
const typeOf = ({ type, name }: Values): StageType =>
  (type as StageType | undefined) ??
  DEFAULT_STAGES.find((one) => one.name.toLowerCase() === String(name).toLowerCase())?.type ??
  'started';

const colorOf = ({ type }: Values): string => DEFAULT_STAGES.find((one) => one.type === type)?.color as string;

function inStage(release: SeedThing, stages: readonly SeedThing[], byDefault: string, at: Date): SeedThing {
  const named = release.names.find(({ property }) => property === 'stageId');
  const name = named?.name ?? byDefault;
  const type = stages.find(({ values }) => values['name'] === name)?.values['type'] as StageType | undefined;
  const startDate = (release.values['startDate'] as string | undefined) ?? null;
  const times = type === undefined ? {} : timesInStage(type, { startedAt: null, startDate }, at);
  const stage = { property: 'stageId', refersTo: 'ReleaseStage' as const, name, path: `${release.path}.stage` };
  return {
    ...release,
    names: named ? release.names : [...release.names, stage],
    values: { ...times, ...release.values },
  };
}
