import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { LabelsOf } from '../../labels/labels.service.js';
import { projectLabelUrl } from '../../values/urls.js';
import { ProjectLabel } from './project-label.entity.js';

/** docs/reference/tracker.md#projectlabel. */
@Injectable()
export class ProjectLabelsService extends LabelsOf {
  constructor(db: Db, access: Access, clock: Clock, publicUrl: PublicUrl) {
    const kind = { name: 'ProjectLabel', row: ProjectLabel, on: 'projects', key: 'projectLabel' } as const;
    super({ ...kind, url: projectLabelUrl }, db, access, clock, publicUrl);
  }
}
