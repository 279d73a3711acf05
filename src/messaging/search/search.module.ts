import { Module } from '@nestjs/common';
import { SearchContext } from './context.service.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';
import { WaitingTexts } from './waiting-texts.js';

@Module({ controllers: [SearchController], providers: [SearchContext, SearchService, WaitingTexts] })
export class SearchModule {}
