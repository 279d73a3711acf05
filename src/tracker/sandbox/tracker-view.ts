import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { SandboxEntity } from '../../kernel/sandbox/sandbox-entities.js';
import { SandboxViews, type SandboxView } from '../../kernel/sandbox/sandbox-views.js';
import { trackerEntities } from './tracker-entities.js';
import { ALIASES, ISSUES, names } from './tracker-view.queries.js';

/** What the tracker shows of a whole sandbox. */
@Injectable()
export class TrackerView implements SandboxView {
  readonly entities: readonly SandboxEntity[] = trackerEntities();

  constructor(
    private readonly db: Db,
    views: SandboxViews,
  ) {
    views.register(this);
  }

  async names(tenantId: number, ids: readonly string[]): Promise<[string, string][]> {
    const rows = await this.db.read<{ id: string; name: string }>(names(), [tenantId, ids]);
    return rows.map(({ id, name }) => [id, name]);
  }

  async aliases(tenantId: number, values: readonly string[]): Promise<[string, string][]> {
    const rows = await this.db.read<{ value: string; others: string[] }>(ALIASES, [tenantId, values]);
    return rows.flatMap(({ value, others }) => others.map((other): [string, string] => [value, other]));
  }

  async issues(tenantId: number, most: number): Promise<Record<string, unknown>[]> {
    const rows = await this.db.read<{ issue: Record<string, unknown> }>(ISSUES, [tenantId, most]);
    return rows.map(({ issue }) => issue);
  }
}
