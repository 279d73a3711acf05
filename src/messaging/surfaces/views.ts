import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { newMark, newId } from '../../kernel/ids/ids.js';
import { screenChanged } from '../events/screen-events.js';
import { MessagingError } from '../wire/codes.js';
import type { ViewContent } from '../wire/view-content.js';
import { keptOf, type EnteredValues } from '../wire/view-state.js';
import type { View } from '../wire/view-wire.js';
import {
  LOCK_APP,
  VIEW_BY_ID,
  VIEW_BY_EXTERNAL_ID,
  VIEWS_OF_USER,
  CHANGED_SINCE,
  INSERT_VIEW,
  CHANGE_VIEW,
  ENTER_VALUES,
  TOUCH_VIEWS,
  REMOVE_VIEWS,
  TAKEN_EXTERNAL_IDS,
  FORGET_DEAD_VIEWS,
  SWEEP_VIEWS,
  SWEEP_BATCH,
} from './views.queries.js';

/** The most modals of one app that a person can have open. */
const MAX_MODALS = 3;
/** Modals expire after this long without a change. */
const MODAL_LIFE_MS = 24 * 3_600_000;

interface Row {
  [column: string]: unknown;
  id: string;
  content: string;
  entered: string;
}

const toView = (row: Row): View =>
  ({
    ...row,
    content: JSON.parse(row.content) as ViewContent,
    entered: JSON.parse(row.entered) as EnteredValues,
  }) as unknown as View;

/** The owner of views: an app, for one person. */
export interface ViewOwner {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly appId: string;
  readonly botId: string;
  readonly userId: string;
}

/** Views as apps open them and people see them: a stack of modals and a home, per app and person. */
@Injectable()
export class Views {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    upkeep: Upkeep,
  ) {
    upkeep.register('forgetting untouched modals', 600_000, (stopped) => this.sweep(stopped));
  }

  /** Null for a view that is closed, expired, or of another workspace. */
  async find(workspaceId: string, id: string, tx?: Tx): Promise<View | null> {
    return this.one(VIEW_BY_ID, [workspaceId, id, this.deadBefore()], tx);
  }

  async findByExternalId(owner: Pick<ViewOwner, 'workspaceId' | 'appId'>, id: string, tx: Tx): Promise<View | null> {
    return this.one(VIEW_BY_EXTERNAL_ID, [owner.workspaceId, id, this.deadBefore(), owner.appId], tx);
  }

  /** What a person sees: homes (depth 0) and modals, bottom first, app by app. */
  async ofUser(workspaceId: string, userId: string, appId: string | null = null, tx?: Tx): Promise<View[]> {
    const values = [workspaceId, userId, this.deadBefore(), appId];
    const rows = await (tx ? tx.query<Row>(VIEWS_OF_USER, values) : this.db.read<Row>(VIEWS_OF_USER, values));
    return rows.map(toView);
  }

  /** Views that apps opened or changed for a person after a time of the store's real clock, in order. */
  async changedSince(workspaceId: string, userId: string, since: Date): Promise<(View & { changedMs: number })[]> {
    const rows = await this.db.read<Row>(CHANGED_SINCE, [workspaceId, userId, this.deadBefore(), since]);
    return rows.map((row) => toView(row) as View & { changedMs: number });
  }

  /**
   * Opens a modal; the app's open ones for that person are closed.
   * @throws MessagingError duplicate_external_id
   */
  async open(tx: Tx, owner: ViewOwner, content: ViewContent): Promise<View> {
    await this.lock(tx, owner, content);
    const stack = await this.stack(tx, owner);
    const gone = stack.map((view) => view.id);
    await this.requireUniqueExternalId(tx, owner, content, gone);
    if (gone.length > 0) await tx.query(REMOVE_VIEWS, [gone]);
    return this.insert(tx, owner, content, { depth: 1, below: null });
  }

  /** Puts a modal on top. @throws MessagingError duplicate_external_id, not_found without an open one, push_limit_reached */
  async push(tx: Tx, owner: ViewOwner, content: ViewContent): Promise<View> {
    await this.lock(tx, owner, content);
    await this.requireUniqueExternalId(tx, owner, content, []);
    const below = (await this.stack(tx, owner)).at(-1);
    if (!below) throw new MessagingError('not_found');
    if (below.depth >= MAX_MODALS) throw new MessagingError('push_limit_reached');
    return this.insert(tx, owner, content, { depth: below.depth + 1, below });
  }

  /**
   * Gives a view new content. `find` reads it again once it is locked.
   * @throws MessagingError not_found, hash_conflict, duplicate_external_id
   */
  async update(
    tx: Tx,
    owner: Omit<ViewOwner, 'userId'>,
    content: ViewContent,
    options: { find: () => Promise<View | null>; hash?: string | undefined },
  ): Promise<View> {
    await this.lock(tx, { ...owner, userId: '' }, content);
    const view = await options.find();
    if (!view || view.appId !== owner.appId || view.content.type !== content.type)
      throw new MessagingError('not_found');
    if (options.hash !== undefined && options.hash !== view.hash) throw new MessagingError('hash_conflict');
    return this.change(tx, { ...owner, userId: view.userId }, view, content);
  }

  /** Makes or replaces a person's home. @throws MessagingError hash_conflict, duplicate_external_id */
  async publish(tx: Tx, owner: ViewOwner, content: ViewContent, hash: string | undefined): Promise<View> {
    await this.lock(tx, owner, content);
    const home = (await this.ofUser(owner.workspaceId, owner.userId, owner.appId, tx)).find((view) => view.depth === 0);
    if (hash !== undefined && hash !== home?.hash) throw new MessagingError('hash_conflict');
    if (home) return this.change(tx, owner, home, content);
    await this.requireUniqueExternalId(tx, owner, content, []);
    return this.insert(tx, owner, content, { depth: 0, below: null });
  }

  /** Stores what the person entered; the view's hash stays. */
  async enter(tx: Tx, view: View, entered: EnteredValues): Promise<View> {
    await tx.query(ENTER_VALUES, [view.id, JSON.stringify(entered)]);
    await tx.query(TOUCH_VIEWS, [view.appId, view.userId, this.clock.now()]);
    return { ...view, entered };
  }

  /** Closes the top modal, or the whole stack. Returns the closed ones, top first, and the one on top now. */
  async close(tx: Tx, owner: ViewOwner, id: string, all: boolean): Promise<{ gone: View[]; top: View | null } | null> {
    await tx.query(LOCK_APP, [owner.appId]);
    const stack = await this.stack(tx, owner);
    if (stack.at(-1)?.id !== id) return null;
    const gone = all ? stack.toReversed() : stack.slice(-1);
    await tx.query(REMOVE_VIEWS, [gone.map((view) => view.id)]);
    tx.record(screenChanged(owner));
    return { gone, top: all ? null : (stack.at(-2) ?? null) };
  }

  /** The open modals, bottom first. */
  async stack(tx: Tx | undefined, owner: Pick<ViewOwner, 'workspaceId' | 'userId' | 'appId'>): Promise<View[]> {
    return (await this.ofUser(owner.workspaceId, owner.userId, owner.appId, tx)).filter((view) => view.depth > 0);
  }

  /** Deletes expired modals, a limited number at a time. */
  async sweep(stopped = (): boolean => false): Promise<void> {
    while (!stopped() && (await this.db.run(SWEEP_VIEWS)).length === SWEEP_BATCH);
  }

  private async one(query: Parameters<Db['read']>[0], values: unknown[], tx?: Tx): Promise<View | null> {
    const [row] = await (tx ? tx.query<Row>(query, values) : this.db.read<Row>(query, values));
    return row ? toView(row) : null;
  }

  private async lock(tx: Tx, owner: ViewOwner, content: ViewContent): Promise<void> {
    await tx.query(LOCK_APP, [owner.appId]);
    const externalId = content.external_id === '' ? null : content.external_id;
    await tx.query(FORGET_DEAD_VIEWS, [owner.appId, owner.userId, externalId, this.deadBefore()]);
  }

  private async requireUniqueExternalId(
    tx: Tx,
    owner: ViewOwner,
    content: ViewContent,
    except: string[],
  ): Promise<void> {
    if (content.external_id === '') return;
    const taken = await tx.query(TAKEN_EXTERNAL_IDS, [owner.appId, content.external_id, this.deadBefore(), except]);
    if (taken.length > 0) throw new MessagingError('duplicate_external_id');
  }

  private async insert(
    tx: Tx,
    owner: ViewOwner,
    content: ViewContent,
    { depth, below }: { depth: number; below: View | null },
  ): Promise<View> {
    const id = newId('V');
    const view: View = {
      id,
      workspaceId: owner.workspaceId,
      appId: owner.appId,
      botId: owner.botId,
      userId: owner.userId,
      depth,
      rootId: below?.rootId ?? id,
      previousId: below?.id ?? null,
      content,
      entered: {},
      hash: this.newHash(),
    };
    await tx.query(INSERT_VIEW, [
      id,
      view.workspaceId,
      view.appId,
      view.userId,
      content.type,
      depth,
      view.rootId,
      view.previousId,
      content.external_id,
      JSON.stringify(content),
      view.hash,
      this.clock.now(),
    ]);
    await tx.query(TOUCH_VIEWS, [owner.appId, owner.userId, this.clock.now()]);
    tx.record(screenChanged(owner));
    return view;
  }

  private async change(tx: Tx, owner: ViewOwner, view: View, content: ViewContent): Promise<View> {
    await this.requireUniqueExternalId(tx, owner, content, [view.id]);
    const entered = keptOf(content.blocks, view.entered);
    const hash = this.newHash();
    await tx.query(CHANGE_VIEW, [view.id, content.external_id, JSON.stringify(content), JSON.stringify(entered), hash]);
    await tx.query(TOUCH_VIEWS, [view.appId, view.userId, this.clock.now()]);
    tx.record(screenChanged(owner));
    return { ...view, content, entered, hash };
  }

  private readonly deadBefore = (): Date => new Date(this.clock.nowMs() - MODAL_LIFE_MS);

  /** `<10 digits>.<8 hex>`. */
  private readonly newHash = (): string => `${String(this.clock.nowSeconds()).padStart(10, '0')}.${newMark(8)}`;
}
