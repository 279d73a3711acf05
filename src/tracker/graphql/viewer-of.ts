import { createParamDecorator } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { RelationContext } from './context.js';

const contextOf = (host: Parameters<typeof GqlExecutionContext.create>[0]): RelationContext =>
  GqlExecutionContext.create(host).getContext<RelationContext>();

/** `@ViewerOf() viewer: Viewer`: the caller. */
export const ViewerOf = createParamDecorator((_: unknown, host) => contextOf(host).viewer);

/** `@AllowancesOf() allowances`: what is left of the caller's budgets. */
export const AllowancesOf = createParamDecorator((_: unknown, host) => contextOf(host).allowances?.() ?? []);

/** `@LoadersOf() load: Loaders`: the loaders of the request. */
export const LoadersOf = createParamDecorator((_: unknown, host) => contextOf(host).load);
