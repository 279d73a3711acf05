import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { page, type PageArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { brokenRule, duplicate, forbidden } from '../../values/errors.js';
import { Project } from '../project.entity.js';
import { type ProjectStatus as Row, ProjectStatus, projectStatuses } from './project-status.entity.js';

/** Statuses of projects (docs/reference/tracker.md#projectstatus). Writes are serialized by the organization's row. */
@Injectable()
export class ProjectStatusesService extends EntityService<typeof projectStatuses> {
  constructor(
    needs: EntityNeeds,
    private readonly access: Access,
  ) {
    super(projectStatuses, needs);
  }

  /** By their position. */
  override list({ viewer, now }: Loaders, args: PageArgs) {
    const leading = {
      name: 'position',
      keys: (alias: string) => [{ sql: `${alias}.position`, kind: 'number' as const, descending: false }],
    };
    return page(this.needs.db, 'ProjectStatus', { viewer, now, args, ...(!args.orderBy && { leading }) });
  }

  protected override async filled({ tx, viewer }: Writing<Row>, { name }: CreateInputOf<typeof projectStatuses>) {
    await this.requireAdmin(tx, viewer);
    await requireFree(tx, viewer, name);
    return {};
  }

  protected override async revised(
    { tx, viewer, before }: Writing<Row>,
    { name, type }: UpdateInputOf<typeof projectStatuses>,
  ) {
    await this.requireAdmin(tx, viewer);
    const status = before as Row;
    if (name !== undefined) await requireFree(tx, viewer, name, status.id);
    if (type !== undefined && type !== status.type) await requireAnother(tx, status, 'cannot change its type');
    return {};
  }

  protected override async retire({ tx, viewer }: Writing<Row>, status: Row): Promise<void> {
    await this.requireAdmin(tx, viewer);
    // waits for running changes that put a project into it, and prevents others
    await tx.sql.findOne(ProjectStatus, { where: { id: status.id }, lock: { mode: 'pessimistic_write' } });
    await requireAnother(tx, status, 'cannot be archived');
    if (await tx.sql.existsBy(Project, { statusId: status.id })) {
      throw brokenRule(
        'status has projects',
        `The status "${status.name}" cannot be archived: there are projects in it.`,
      );
    }
  }

  protected override async revive({ tx, viewer }: Writing<Row>, { id, name }: Row): Promise<void> {
    await this.requireAdmin(tx, viewer);
    await requireFree(tx, viewer, name, id);
  }

  /** @throws forbidden */
  private async requireAdmin(tx: Tx, viewer: Viewer): Promise<void> {
    if (!viewer.admin) throw forbidden('You need to be an admin to manage project statuses.');
    await this.access.organizationForUpdate(tx, viewer);
  }
}

/** @throws duplicate where another status has the name, ignoring case */
async function requireFree(tx: Tx, { organizationId }: Viewer, name: string, id?: string): Promise<void> {
  const others = await tx.sql.findBy(ProjectStatus, { organizationId, archivedAt: IsNull() });
  const other = others.find((one) => one.id !== id && one.name.toLowerCase() === name.toLowerCase());
  if (other) throw duplicate('project status name', other.name);
}

/** @throws brokenRule for the last one of its type: where projects go is decided by the type */
async function requireAnother(tx: Tx, { id, organizationId, name, type }: Row, refused: string): Promise<void> {
  if (await tx.sql.existsBy(ProjectStatus, { id: Not(id), organizationId, type, archivedAt: IsNull() })) return;
  throw brokenRule(
    'status is the last one of its type',
    `The status "${name}" ${refused}: it is the last one of its type.`,
  );
}
