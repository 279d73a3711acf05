import { Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { Db } from '../../kernel/database/db.js';
import { KnownNames, type NamesOfProduct } from '../../kernel/sandbox/known-names.js';
import { firingKinds } from '../events/tracker-events.js';
import { WEBHOOK_NAMES } from './tracker-names.queries.js';

/** What tests may name of the tracker. */
@Injectable()
export class TrackerNames implements NamesOfProduct {
  constructor(
    private readonly db: Db,
    private readonly schemaHost: GraphQLSchemaHost,
    names: KnownNames,
  ) {
    names.register(this);
  }

  /** The root fields, and the two that introspect. */
  methods(): string[] {
    const { schema } = this.schemaHost;
    const roots = [schema.getQueryType(), schema.getMutationType()];
    return ['__schema', '__type', '__typename', ...roots.flatMap((type) => Object.keys(type?.getFields() ?? {}))];
  }

  events(): string[] {
    return firingKinds();
  }

  async targets(tenantId: number): Promise<string[]> {
    const rows = await this.db.read<{ id: string; url: string }>(WEBHOOK_NAMES, [tenantId]);
    return rows.flatMap(({ id, url }) => [id, url]);
  }
}
