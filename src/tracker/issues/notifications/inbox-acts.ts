import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { ProductActs, type ProductActed } from '../../../kernel/sandbox/product-acts.js';
import type { Viewer } from '../../access/viewer.js';
import { RequestLoading } from '../../query/loaders.js';
import { webFor } from '../../values/urls.js';
import { ActingViewers } from '../acts/acting-viewers.js';
import { NamedThings } from '../acts/named-things.js';
import { optionalTextIn, textIn, type Sent } from '../acts/sent-fields.js';
import { described } from './notifications.relations.js';
import { NotificationsService, type Deeds } from './notifications.service.js';

/** The most notifications that a screen shows: the newest. */
const SHOWN = 250;

/** What people do with their inbox, and see of it (docs/reference/acting.md#verbs, #tracker-screen). */
@Injectable()
export class InboxActs {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly loading: RequestLoading,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
    private readonly things: NamedThings,
    viewers: ActingViewers,
    acts: ProductActs,
  ) {
    acts.register({ inbox: viewers.act('notification_not_found', (viewer, sent) => this.act(viewer, sent)) });
    acts.registerScreen('tracker', async (person) => this.screen(await viewers.of(person)));
  }

  private async act(viewer: Viewer, sent: Sent): Promise<ProductActed> {
    const [id, issue] = [optionalTextIn(sent, 'notification'), optionalTextIn(sent, 'issue')];
    if ((id === undefined) === (issue === undefined))
      throw new BadRequestException(['one of notification, issue must be given']);
    const deeds = this.deedsIn(sent);
    const { changed } =
      issue === undefined
        ? await this.notifications.update(viewer, id as string, deeds)
        : await this.notifications.updateAll(viewer, { issueId: (await this.things.issue(viewer, issue)).id }, deeds);
    return { result: { changed: changed.length } };
  }

  /** @throws BadRequestException */
  private deedsIn(sent: Sent): Deeds {
    switch (textIn(sent, 'do')) {
      case 'read':
        return { read: 'now' };
      case 'unread':
        return { read: null };
      case 'archive':
        return { archive: 'now' };
      case 'snooze': {
        const until = new Date(textIn(sent, 'until'));
        if (until > this.clock.now()) return { snooze: until };
        throw new BadRequestException(['until must be a time later than now']);
      }
      default:
        throw new BadRequestException(['do must be one of read, unread, archive, snooze']);
    }
  }

  private async screen(viewer: Viewer): Promise<object> {
    const load = this.loading.forRequest(viewer);
    const web = webFor(this.publicUrl.base, viewer);
    const { nodes } = await this.notifications.list(load, { first: SHOWN });
    const inbox = nodes.map(async (row) => {
      const { id, type, readAt, snoozedUntilAt } = row;
      const { title, subtitle, url } = await described(row, load, web);
      return { id, type, title, subtitle, read: readAt !== null, snoozed_until: snoozedUntilAt, url };
    });
    return { unread: await this.notifications.unread(load), inbox: await Promise.all(inbox) };
  }
}
