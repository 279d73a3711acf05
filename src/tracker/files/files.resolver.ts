import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { ViewerOf } from '../graphql/viewer-of.js';
import { FilesService } from './files.service.js';
import { FileUploadArgs, ImageUploadFromUrlPayload, UploadPayload } from './files.types.js';

@Resolver()
export class FilesResolver {
  constructor(private readonly files: FilesService) {}

  @Mutation(() => UploadPayload)
  fileUpload(@ViewerOf() viewer: Viewer, @Args() args: FileUploadArgs): Promise<UploadPayload> {
    return this.files.place(viewer, args);
  }

  @Mutation(() => ImageUploadFromUrlPayload)
  imageUploadFromUrl(@ViewerOf() viewer: Viewer, @Args('url') url: string): Promise<ImageUploadFromUrlPayload> {
    return this.files.keepImage(viewer, url);
  }
}
