import type { Type } from '@nestjs/common';
import { INJECTABLE_WATERMARK } from '@nestjs/common/constants.js';
import { RESOLVER_TYPE_METADATA } from '@nestjs/graphql';

/** The resolvers and services among what a list of entities exports. */
export const providersAmong = (exported: Readonly<Record<string, unknown>>): Type<unknown>[] =>
  Object.values(exported).filter(
    (one): one is Type<unknown> =>
      typeof one === 'function' &&
      (Reflect.hasOwnMetadata(INJECTABLE_WATERMARK, one) || Reflect.hasOwnMetadata(RESOLVER_TYPE_METADATA, one)),
  );
