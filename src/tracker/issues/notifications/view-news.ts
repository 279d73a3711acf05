import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { Tx } from '../../../kernel/database/db.js';
import type { Cause, News } from '../../events/notify.js';
import { compileFilter } from '../../query/filter/compile.js';
import { allOf, QueryScope } from '../../store/query-scope.js';
import { entityOf, visible } from '../../store/define-entity.js';
import { TrackerError } from '../../values/errors.js';
import { storedFilter } from '../../graphql/stored-filters.js';
import { issuesOfView, VIEW_SUBSCRIPTIONS, type ViewSubscription } from './view-news.queries.js';

/** Of an organization's, as each is a part of one statement, and makes it longer to plan. */
const SUBSCRIPTIONS_MAX = 50;

/** Subscriptions to custom views (docs/reference/tracker-notifications.md#subscriptions). */
@Injectable()
export class ViewNews {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * The news with the subscriptions to views that match their issues, as the subscribers see these after the change.
   * Two statements, one where nobody subscribes to a view, none where no news are for subscriptions.
   */
  async added(tx: Tx, news: readonly News[]): Promise<News[]> {
    const asking = news.filter((one) => causeOf(one));
    if (asking.length === 0) return [...news];
    const organizations = [...new Set(asking.map(({ viewer }) => viewer.organizationId))];
    const types = [...new Set(asking.map((one) => (causeOf(one) as Cause).type))];
    const subscriptions = await tx.query<ViewSubscription>(VIEW_SUBSCRIPTIONS, [
      organizations,
      SUBSCRIPTIONS_MAX,
      types,
    ]);
    const matching = await this.matching(tx, asking, subscriptions);
    return news.map((one) => {
      const found = matching.get(one.ids.issueId as string);
      const cause = found && causeOf(one);
      if (!cause) return one;
      return { ...one, causes: [...one.causes, { ...cause, audience: 'namedSubscriptions', subscriptions: found }] };
    });
  }

  /** The ids of those that match, by the issues'. */
  private async matching(tx: Tx, asking: readonly News[], subscriptions: readonly ViewSubscription[]) {
    const values: unknown[] = [];
    const parts = subscriptions.flatMap((one) => this.part(one, asking, values));
    const found = new Map<string, string[]>();
    if (parts.length === 0) return found;
    const rows = await tx.queryText<{ issue: string; subscription: string }>(parts.join(' UNION ALL '), values);
    for (const { issue, subscription } of rows) found.set(issue, [...(found.get(issue) ?? []), subscription]);
    return found;
  }

  /** As SQL: the issues that one matches. */
  private part(one: ViewSubscription, asking: readonly News[], values: unknown[]): string[] {
    const fitting = asking.filter(
      (news) => news.viewer.organizationId === one.organizationId && one.types.includes((causeOf(news) as Cause).type),
    );
    const [first] = fitting;
    if (!first) return [];
    const own = [...values];
    const scope = new QueryScope(one, first.at, own);
    const { table, alias, listed } = entityOf('Issue');
    const [issues, subscription] = [
      scope.param(
        fitting.map(({ ids }) => ids.issueId),
        'uuid[]',
      ),
      scope.param(one.id, 'uuid'),
    ];
    try {
      // of the module around this one, there once it serves
      const { schema } = this.modules.get(GraphQLSchemaHost, { strict: false });
      const filter = storedFilter(schema, 'IssueFilter', 'filterData', one.filterData);
      const condition = allOf([
        `${alias}.id = ANY(${issues})`,
        visible('Issue', alias, scope),
        listed?.(alias, scope, {}),
        compileFilter('Issue', filter, scope, alias),
      ]);
      values.splice(0, values.length, ...own);
      return [issuesOfView({ table, alias, subscription, condition })];
    } catch (error) {
      // a document brought what is no filter: reading the view says so, what others do does not fail for it
      if (error instanceof TrackerError) return [];
      throw error;
    }
  }
}

const causeOf = ({ causes }: News): Cause | undefined =>
  causes.find(({ audience }) => audience === 'issueSubscriptions');
