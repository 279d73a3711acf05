import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { ConfigTokenRotation } from './config-token-rotation.js';
import {
  AppsManifestAppArgs,
  AppsManifestCreateArgs,
  AppsManifestUpdateArgs,
  AppsManifestValidateArgs,
} from './manifests.dto.js';
import { Manifests } from './manifests.service.js';

const OF_MANIFESTS = { core: false, tokens: ['config'] } as const;

/** docs/reference/installing.md#manifests-by-api */
@Controller()
export class ManifestsController {
  constructor(
    private readonly manifests: Manifests,
    private readonly rotation: ConfigTokenRotation,
  ) {}

  @RpcMethod('tooling.tokens.rotate', { core: false, client: true })
  @RequireScope(null)
  @RateTier(3)
  rotate(@Req() request: RpcRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answer> {
    return this.rotation.rotate(request, reply);
  }

  @RpcMethod('apps.manifest.validate', OF_MANIFESTS)
  @RequireScope(null)
  @RateTier(3)
  validate(@CallerOf() caller: Caller, @RpcArgs() args: AppsManifestValidateArgs): Promise<Answer> {
    return this.manifests.validate(caller, args.manifest, args.app_id);
  }

  @RpcMethod('apps.manifest.create', OF_MANIFESTS)
  @RequireScope(null)
  @RateTier(3)
  create(@CallerOf() caller: Caller, @RpcArgs() args: AppsManifestCreateArgs): Promise<Answer> {
    return this.manifests.create(caller, args.manifest);
  }

  @RpcMethod('apps.manifest.update', OF_MANIFESTS)
  @RequireScope(null)
  @RateTier(3)
  update(@CallerOf() caller: Caller, @RpcArgs() args: AppsManifestUpdateArgs): Promise<Answer> {
    return this.manifests.update(caller, args.app_id, args.manifest);
  }

  @RpcMethod('apps.manifest.export', OF_MANIFESTS)
  @RequireScope(null)
  @RateTier(3)
  export(@CallerOf() caller: Caller, @RpcArgs() args: AppsManifestAppArgs): Promise<Answer> {
    return this.manifests.export(caller, args.app_id);
  }

  @RpcMethod('apps.manifest.delete', OF_MANIFESTS)
  @RequireScope(null)
  @RateTier(3)
  delete(@CallerOf() caller: Caller, @RpcArgs() args: AppsManifestAppArgs): Promise<Answer> {
    return this.manifests.delete(caller, args.app_id);
  }
}
