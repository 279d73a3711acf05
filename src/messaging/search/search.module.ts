import { Module } from '@nestjs/common';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';
import { WaitingTexts } from './waiting-texts.js';

@Module({ controllers: [SearchController], providers: [SearchService, WaitingTexts] })
export class SearchModule {}
