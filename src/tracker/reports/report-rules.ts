import type { Tx } from '../../kernel/database/db.js';
import type { Viewer } from '../access/viewer.js';
import type { Cause } from '../events/notify.js';
import { reactionDataOf } from '../reactions/reaction-data.js';
import { userData } from '../events/user-data.js';
import { Reaction } from '../reactions/reaction.entity.js';
import { User } from '../store/user.entity.js';
import { forbidden, invalidArgument } from '../values/errors.js';

/* What the updates of projects and those of initiatives have in common (docs/reference/tracker.md#projectupdate). */

interface Report {
  readonly userId: string;
  readonly createdAt: Date;
  readonly editedAt: Date | null;
}

const STALE_MS = 30 * 86_400_000;

/** Whether it is the newest of its owner and older than thirty days. @param last the newest, asked for where it matters */
export const isStaleReport = async (
  { id, createdAt }: { readonly id: string; readonly createdAt: Date },
  now: Date,
  last: () => Promise<{ readonly id: string } | null | undefined>,
): Promise<boolean> => now.getTime() - createdAt.getTime() > STALE_MS && (await last())?.id === id;

/**
 * The body and, where the input says none, the health of the report before.
 * @throws TrackerError when it says neither
 */
export async function filledReport<H extends string>(
  { body, health }: { readonly body?: string | undefined; readonly health?: H | undefined },
  last: () => Promise<{ readonly health: string } | null>,
): Promise<{ body: string; health?: string }> {
  if ((body === undefined || body.trim() === '') && health === undefined) {
    throw invalidArgument('body', 'isNotEmpty', 'body or health must be defined');
  }
  if (health !== undefined) return { body: body ?? '' };
  return { body: body ?? '', health: (await last())?.health ?? 'onTrack' };
}

/** @throws TrackerError for everybody but its author and admins */
export function requireAuthor({ userId, admin }: Viewer, report: Report, of: 'project' | 'initiative'): void {
  if (report.userId !== userId && !admin) throw forbidden(`You can only change your own ${of} updates.`);
}

/** Those who subscribe to what a new report is of. */
export const subscribed = (
  { hasSubscriptions }: Viewer,
  type: 'projectUpdateCreated' | 'initiativeUpdateCreated',
): Cause[] => (hasSubscriptions ? [{ type, audience: 'updateSubscriptions' }] : []);

/** What events tell of it besides its own data. @param where its reactions */
export async function toldOfReport(
  tx: Tx,
  web: string,
  { urlKey }: Viewer,
  report: Report,
  where: { readonly projectUpdateId: string } | { readonly initiativeUpdateId: string },
) {
  const user = await tx.sql.findOneBy(User, { id: report.userId });
  const reactions = await tx.sql.find(Reaction, { where, order: { createdAt: 'ASC', id: 'ASC' } });
  return {
    user: userData(web, urlKey, user ?? undefined),
    bodyData: '{}',
    // payloads always have one
    editedAt: report.editedAt ?? report.createdAt,
    reactionData: reactionDataOf(reactions),
  };
}
