import { Resolver } from '@nestjs/graphql';
import { WithEntity } from '../../entity/resolver.js';
import { projectAttachments } from './project-attachment.entity.js';

/** Attachments of projects: read below their project. */
@Resolver(() => projectAttachments.types.Type)
@WithEntity(projectAttachments)
export class ProjectAttachmentsResolver {}
