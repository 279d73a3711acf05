import { Module } from '@nestjs/common';
import { ProjectsResolver } from './projects.resolver.js';
import { ProjectsService } from './projects.service.js';
import { StatusesResolver } from './statuses/statuses.resolver.js';

/** Projects and their statuses. */
@Module({ providers: [ProjectsResolver, ProjectsService, StatusesResolver] })
export class ProjectsModule {}
