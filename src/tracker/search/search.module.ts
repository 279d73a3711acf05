import { Module } from '@nestjs/common';
import { SearchResolver } from './search.resolver.js';

/** Searches over several families. */
@Module({ providers: [SearchResolver] })
export class TrackerSearchModule {}
