import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { DeletePayload } from '../graphql/payloads.js';
import {
  derived,
  filterRelations,
  page,
  relationsOf,
  typeNamed,
  WithRelations,
  type Relations,
} from '../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import type { PageArgs } from '../query/page.js';
import type { EntityKey } from '../store/entity-rows.js';
import type { Loaders } from '../query/loaders.js';
import { type Declared, relationName } from './declare.js';
import type { EntityService } from './service.js';

/**
 * The root fields of an entity: one, a page, and the mutations that its declaration names. Extend it with what the
 * entity has besides: `class CyclesResolver extends EntityResolver(cycles)`.
 */
export function EntityResolver<D extends Declared<K>, K extends EntityKey = D['name']>(entity: D) {
  const { types, singular } = entity;

  @Resolver({ isAbstract: true })
  abstract class DeclaredResolver {
    constructor(readonly service: EntityService<D>) {}

    @Query(() => types.Type, { name: singular })
    one(@ViewerOf() viewer: Viewer, @Args('id') id: string): unknown {
      return this.service.one(viewer, id);
    }

    list(load: Loaders, args: object): unknown {
      return this.service.list(load, args as PageArgs);
    }

    create(viewer: Viewer, input: object): unknown {
      return this.service.create(viewer, input as never);
    }

    update(viewer: Viewer, id: string, input: object): unknown {
      return this.service.update(viewer, id, input as never);
    }

    delete(viewer: Viewer, id: string): unknown {
      return this.service.delete(viewer, id);
    }

    archive(viewer: Viewer, id: string): unknown {
      return this.service.archive(viewer, id);
    }

    unarchive(viewer: Viewer, id: string): unknown {
      return this.service.unarchive(viewer, id);
    }
  }

  const { prototype } = DeclaredResolver;
  const methodOf = (name: string) => Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
  if (!entity.isUnlisted) {
    Reflect.defineMetadata('design:paramtypes', [Object, Object], prototype, 'list');
    LoadersOf()(prototype, 'list', 0);
    Args({ type: () => types.ListArgs })(prototype, 'list', 1);
    // made before the schema is, as it is made of all types that are there
    const connection = types.Connection;
    Query(() => connection, { name: entity.plural })(prototype, 'list', methodOf('list'));
  }
  const answers = {
    create: types.Payload,
    update: types.Payload,
    delete: DeletePayload,
    archive: types.ArchivePayload,
    unarchive: types.ArchivePayload,
  };
  for (const mutation of entity.mutations) {
    const takes: ParameterDecorator[] = [ViewerOf()];
    if (mutation !== 'create') takes.push(Args('id', { type: () => String }));
    if (mutation === 'create') takes.push(Args('input', { type: () => types.CreateInput }));
    if (mutation === 'update') takes.push(Args('input', { type: () => types.UpdateInput }));
    Reflect.defineMetadata(
      'design:paramtypes',
      takes.map(() => Object),
      prototype,
      mutation,
    );
    takes.forEach((decorate, i) => decorate(prototype, mutation, i));
    const name = `${singular}${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    Mutation(() => answers[mutation], { name })(prototype, mutation, methodOf(mutation));
  }
  return DeclaredResolver;
}

/** On the resolver of an entity: its references and connections, and further relations. */
export function WithEntity(entity: Declared, ...more: readonly Relations[]): ClassDecorator {
  const references = Object.entries(entity.fields).flatMap(([property, { refersTo, options }]) =>
    refersTo && options.shown !== false
      ? [
          [
            relationName(property),
            derived((row: Record<string, unknown>, load) => load.row(refersTo, row[property] as string | null)),
          ] as const,
        ]
      : [],
  );
  const connections = entity.backed.map(({ entity: above, field, spec, isUnfiltered }) =>
    relationsOf(() => typeNamed(above), {
      [field]: page(() => entity.types.Connection, spec, isUnfiltered ? {} : { filter: () => entity.types.Filter }),
    }),
  );
  const filters = Object.values(entity.fields).flatMap(({ refersTo, options: { having } }) =>
    refersTo && having !== undefined
      ? filterRelations(() => [`${refersTo}Filter`, `Nullable${refersTo}Filter`, `${refersTo}CollectionFilter`], {
          [having]: () => entity.types.CollectionFilter,
        })
      : [],
  );
  return WithRelations(
    relationsOf<Record<string, unknown>>(() => entity.types.Type, Object.fromEntries(references)),
    ...connections,
    ...filters,
    ...more,
  );
}
