import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import {
  FilesCompleteUploadExternalArgs,
  FilesDeleteArgs,
  FilesGetUploadURLExternalArgs,
  FilesInfoArgs,
  FilesListArgs,
  FilesRevokePublicURLArgs,
  FilesSharedPublicURLArgs,
} from './files.dto.js';
import { FileListsService } from './file-lists.service.js';
import { FilesService } from './files.service.js';
import { PublicFilesService } from './public-files.service.js';

@Controller()
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly lists: FileListsService,
    private readonly publicFiles: PublicFilesService,
  ) {}

  @RpcMethod('files.getUploadURLExternal', { core: false })
  @RequireScope('files:write')
  @RateTier(4)
  getUploadURLExternal(@CallerOf() caller: Caller, @RpcArgs() args: FilesGetUploadURLExternalArgs): Promise<Answer> {
    return this.files.place(caller, args);
  }

  @RpcMethod('files.completeUploadExternal', { core: false })
  @RequireScope('files:write')
  @RateTier(4)
  completeUploadExternal(
    @CallerOf() caller: Caller,
    @RpcArgs() args: FilesCompleteUploadExternalArgs,
  ): Promise<Answer> {
    return this.files.complete(caller, args);
  }

  @RpcMethod('files.info', { core: false })
  @RequireScope('files:read')
  @RateTier(4)
  info(@CallerOf() caller: Caller, @RpcArgs() args: FilesInfoArgs): Promise<Answer> {
    return this.files.info(caller, args);
  }

  @RpcMethod('files.delete', { core: false })
  @RequireScope('files:write')
  @RateTier(3)
  delete(@CallerOf() caller: Caller, @RpcArgs() args: FilesDeleteArgs): Promise<void> {
    return this.files.delete(caller, args);
  }

  @RpcMethod('files.list', { core: false })
  @RequireScope('files:read')
  @RateTier(3)
  list(@CallerOf() caller: Caller, @RpcArgs() args: FilesListArgs): Promise<Answer> {
    return this.lists.list(caller, args);
  }

  @RpcMethod('files.sharedPublicURL', { core: false, tokens: ['user', 'jwt'] })
  @RequireScope('files:write')
  @RateTier(3)
  sharedPublicURL(@CallerOf() caller: Caller, @RpcArgs() args: FilesSharedPublicURLArgs): Promise<Answer> {
    return this.publicFiles.share(caller, args.file);
  }

  @RpcMethod('files.revokePublicURL', { core: false })
  @RequireScope('files:write')
  @RateTier(3)
  revokePublicURL(@CallerOf() caller: Caller, @RpcArgs() args: FilesRevokePublicURLArgs): Promise<Answer> {
    return this.publicFiles.revoke(caller, args.file);
  }
}
