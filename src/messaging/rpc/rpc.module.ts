import { Global, Inject, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AuthModule } from '../../auth/auth.module.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Calls } from '../../kernel/http/calls.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { HeaderCredentials } from '../../kernel/http/header-credentials.js';
import { AllowanceBook } from '../../kernel/limits/allowance-book.js';
import { Log } from '../../kernel/log/log.js';
import { ChatCoreModule } from '../core.module.js';
import { chatAllowances } from './allowance-reader.js';
import { CallPasses } from './call-passes.js';
import { ChatNames } from './chat-names.js';
import { Credentials } from './credentials.js';
import { IdentityGuard } from './identity.guard.js';
import { MethodRegistry } from './method-registry.js';
import { RememberedCalls } from './remembered-calls.js';
import { RpcEdge } from './rpc-edge.js';
import { ScopeGuard } from './scope.guard.js';
import { TierGuard } from './tier.guard.js';
import { UnguardedCalls } from './unguarded-calls.js';

const checks = [IdentityGuard, ScopeGuard, TierGuard];

/** The edge of the method calls: every family imports it. */
@Global()
@Module({
  imports: [DiscoveryModule, AuthModule, ChatCoreModule],
  providers: [...checks, CallPasses, ChatNames, Credentials, MethodRegistry, RememberedCalls, UnguardedCalls],
  exports: [
    ...checks,
    CallPasses,
    Credentials,
    MethodRegistry,
    RememberedCalls,
    UnguardedCalls,
    AuthModule,
    ChatCoreModule,
  ],
})
export class RpcModule {
  constructor(
    edges: HttpEdges,
    @Inject(SETTINGS_TOKEN) settings: Settings,
    log: Log,
    allowances: AllowanceBook,
    methods: MethodRegistry,
    known: HeaderCredentials,
    credentials: Credentials,
    calls: Calls,
  ) {
    edges.add(new RpcEdge({ settings, log, methods, known, credentials, calls }));
    known.register(({ authorization }) => credentials.know(authorization));
    allowances.register(chatAllowances((name) => methods.all.find((method) => method.name === name)?.tier));
  }
}
