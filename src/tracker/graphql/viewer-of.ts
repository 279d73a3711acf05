import { createParamDecorator } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { RelationContext } from './context.js';

const contextOf = (host: Parameters<typeof GqlExecutionContext.create>[0]): RelationContext =>
  GqlExecutionContext.create(host).getContext<RelationContext>();

/** `@ViewerOf() viewer: Viewer`: the caller. */
export const ViewerOf = createParamDecorator((_: unknown, host) => contextOf(host).viewer);

/** `@LoadersOf() load: Loaders`: the loaders of the request. */
export const LoadersOf = createParamDecorator((_: unknown, host) => contextOf(host).load);
