import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access } from '../../access/access.js';
import { LabelsOf } from '../../labels/labels.service.js';
import { initiativeLabelUrl } from '../../values/urls.js';
import { InitiativeLabel } from './initiative-label.entity.js';

/** docs/reference/tracker.md#initiativelabel. */
@Injectable()
export class InitiativeLabelsService extends LabelsOf {
  constructor(db: Db, access: Access, clock: Clock, publicUrl: PublicUrl) {
    const kind = { name: 'InitiativeLabel', row: InitiativeLabel, on: 'initiatives', key: 'initiativeLabel' } as const;
    super({ ...kind, isTeamless: true, url: initiativeLabelUrl }, db, access, clock, publicUrl);
  }
}
