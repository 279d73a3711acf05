import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { CredentialKind, ScopeRule, ScopesByType } from '../access/identity.js';
import type { ArgsClass } from './args/args.js';
import { METHOD_CORE, METHOD_NAME, METHOD_SCOPES, METHOD_TIER } from './metadata.js';
import type { Tier } from './rpc-call.js';

/** One method's contract, collected from its decorators. */
export interface Method {
  readonly name: string;
  /** One of the 27; the others exist where the setting or the sandbox says `all` (docs/reference/chat.md#routing). */
  readonly isCore: boolean;
  /** Needs no credential. */
  readonly isAnonymous: boolean;
  /** Opens a transport: for app-level tokens alone, which open nothing else. */
  readonly isHandshake: boolean;
  /** Its credential is an app's client id, and a token only an argument. */
  readonly isForClients: boolean;
  /** Its credential is taken in the header alone. */
  readonly takesHeaderOnly: boolean;
  /** The kinds of credential that it takes. */
  readonly tokens: readonly CredentialKind[];
  readonly tier: Tier;
  readonly rule: ScopeRule;
  readonly usersOnlyWhenStrict: boolean;
  readonly appTokensOnly: boolean;
  /**
   * Every scope the method accepts from this kind of token, for any type (docs/reference/chat.md#order-of-checks step
   * 3); null = none is needed.
   */
  readonly accepts: { readonly bot: readonly string[] | null; readonly user: readonly string[] | null };
  /** Every scope from any kind of token: the header X-Accepted-OAuth-Scopes. */
  readonly accepted: string;
  readonly args: ArgsClass | undefined;
  /** It changes nothing. */
  readonly reads: boolean;
}

/** Methods that change nothing, recognised by their verb. */
const READS =
  /\.(list|info|history|replies|members|get|getPresence|getPermalink|test|lookupByEmail|conversations|messages)$/;
/** Whether a call of the method only looks. */
export const isReading = (name: string): boolean => READS.test(name);

const flat = (byType: ScopesByType): string[] => [...new Set(Object.values(byType).flat())];

/** All methods there are. Filled at boot, where a method without scope or tier is a fault. */
@Injectable()
export class MethodRegistry implements OnModuleInit {
  private readonly byHandler = new Map<unknown, Method>();
  private readonly withoutToken = new Set<string>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  get all(): Method[] {
    return [...this.byHandler.values()];
  }

  /** Whether a method needs no token: no credential at all, or an app's client id. */
  needsNoToken(name: string | undefined): boolean {
    return name !== undefined && this.withoutToken.has(name);
  }

  of(handler: unknown): Method {
    const method = this.byHandler.get(handler);
    if (!method) throw new Error('not a method of the Web API');
    return method;
  }

  onModuleInit(): void {
    for (const { instance } of this.discovery.getControllers()) {
      if (!instance) continue;
      const controller = (instance as object).constructor as ControllerClass;
      for (const [handler, method] of methodsOf(controller, this.scanner)) {
        this.byHandler.set(handler, method);
        if (method.isAnonymous || method.isForClients) this.withoutToken.add(method.name);
      }
    }
  }
}

type ControllerClass = abstract new (...args: never[]) => unknown;

/** The methods that a controller's decorators declare, by handler. @throws where a method lacks its scope or tier */
export function methodsOf(controller: ControllerClass, scanner = new MetadataScanner()): [object, Method][] {
  const prototype = controller.prototype as Record<string, object>;
  return scanner.getAllMethodNames(prototype).flatMap((key): [object, Method][] => {
    const handler = prototype[key] as object;
    const name = Reflect.getMetadata(METHOD_NAME, handler) as string | undefined;
    if (name === undefined) return [];
    const scopes = Reflect.getMetadata(METHOD_SCOPES, handler) as
      { rule: ScopeRule; usersOnlyWhenStrict?: boolean; appTokensOnly?: boolean } | undefined;
    const tier = Reflect.getMetadata(METHOD_TIER, handler) as Tier | undefined;
    if (!scopes || tier === undefined) throw new Error(`${name} lacks @RequireScope or @RateTier`);
    const { rule } = scopes;
    const bot = rule.byType ? flat(rule.byType.bot) : (rule.any ?? null);
    const user = rule.byType ? flat(rule.byType.user) : (rule.any ?? null);
    const types = (Reflect.getMetadata('design:paramtypes', prototype, key) as unknown[] | undefined) ?? [];
    const args = types.find((type) => typeof type === 'function' && /Args$/.test((type as { name: string }).name));
    const { core, anonymous, handshake, client, tokens, inHeader } = Reflect.getMetadata(METHOD_CORE, handler) as {
      core: boolean;
      anonymous: boolean;
      handshake: boolean;
      client: boolean;
      tokens: readonly CredentialKind[];
      inHeader: boolean;
    };
    const method: Method = {
      name,
      isCore: core,
      isAnonymous: anonymous,
      isHandshake: handshake,
      isForClients: client,
      takesHeaderOnly: handshake || inHeader,
      tokens,
      tier,
      rule,
      usersOnlyWhenStrict: scopes.usersOnlyWhenStrict ?? false,
      appTokensOnly: scopes.appTokensOnly ?? false,
      accepts: { bot, user },
      accepted: [...new Set([...(bot ?? []), ...(user ?? [])])].join(','),
      args: args as ArgsClass | undefined,
      reads: isReading(name),
    };
    return [[handler, method]];
  });
}

type ModuleClass = ControllerClass | { module: ControllerClass };

/** The same of all controllers of a module and of those that it imports: without an application. */
export function methodsOfModule(module: ModuleClass, seen = new Set<ControllerClass>()): Method[] {
  const type = 'module' in module ? module.module : module;
  if (seen.has(type)) return [];
  seen.add(type);
  const listed = <T>(key: string): T[] => (Reflect.getMetadata(key, type) as T[] | undefined) ?? [];
  return [
    ...listed<ControllerClass>('controllers').flatMap((controller) =>
      methodsOf(controller).map(([, method]) => method),
    ),
    ...listed<ModuleClass>('imports').flatMap((imported) => methodsOfModule(imported, seen)),
  ];
}
