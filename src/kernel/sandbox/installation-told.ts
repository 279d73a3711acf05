import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/db.js';
import type { Product } from '../product.js';

/** An installation that was finished, or one that ended; its fields are named as the timeline's are. */
export interface InstallationNews {
  readonly tenantId: number;
  readonly kind: 'install' | 'uninstall';
  readonly product: Product;
  readonly app_id: string;
  readonly app: string;
  /** The id of who consented, or whose part ended; null: the app's own part, or all of it. */
  readonly user: string | null;
  /** With `install`: what was granted, in alphabetical order. */
  readonly scopes?: readonly string[];
  /** With `install`: it was installed already. */
  readonly again?: boolean;
}

/** Tells the timeline of installations (docs/reference/installing.md#in-the-timeline). */
@Injectable()
export class InstallationTold {
  private listener: (news: InstallationNews) => void = () => undefined;

  /** At start-up. */
  onNews(listener: (news: InstallationNews) => void): void {
    this.listener = listener;
  }

  /** Once the transaction is committed. */
  tellAfter(tx: Tx, news: InstallationNews): void {
    tx.afterCommit(() => this.listener(news));
  }
}
