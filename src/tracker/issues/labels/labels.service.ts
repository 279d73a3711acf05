import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { LabelsOf } from '../../labels/labels.service.js';
import { labelUrl } from '../../values/urls.js';
import { IssueLabel } from './issue-label.entity.js';

/** docs/reference/tracker.md#issuelabel. */
@Injectable()
export class LabelsService extends LabelsOf {
  constructor(db: Db, access: Access, clock: Clock, publicUrl: PublicUrl) {
    super(
      { name: 'IssueLabel', row: IssueLabel, on: 'issues', key: 'issueLabel', url: labelUrl },
      db,
      access,
      clock,
      publicUrl,
    );
  }
}
