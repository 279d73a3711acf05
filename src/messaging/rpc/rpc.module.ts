import { Global, Inject, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../../auth/auth.module.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { Log } from '../../kernel/log/log.js';
import { ModelModule } from '../model/model.module.js';
import { Credentials } from './credentials.js';
import { MethodRegistry } from './method-registry.js';
import { RpcEdge } from './rpc-edge.js';

/** The edge of the method calls: every family imports it. */
@Global()
@Module({
  imports: [DiscoveryModule, AuthModule, ModelModule],
  providers: [Credentials, MethodRegistry],
  exports: [Credentials, MethodRegistry, AuthModule, ModelModule],
})
export class RpcModule {
  constructor(edges: HttpEdges, @Inject(SETTINGS_TOKEN) settings: Settings, log: Log) {
    edges.add(new RpcEdge(settings, log));
  }
}
