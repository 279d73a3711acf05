import { Injectable, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { nearest } from '../../kernel/config/unknown-settings.js';
import { RestError } from '../../kernel/http/http-error.js';
import { bare } from '../../kernel/matchers/matches.js';
import { KnownNames } from '../../kernel/sandbox/known-names.js';
import { TARGET_KINDS } from '../deliveries/target-kinds.js';

/** Calls that no product lists: posts to incoming webhooks, documents that cannot be parsed. */
const OTHER_METHODS = ['*', 'webhooks.incoming', 'graphql'];

/** Methods have names of their own, and these routes no fault may touch: a test can always take it back. */
const UNTOUCHED = /^\w+ \/api\/(?:[^/]*\.[^/]*$|(?:sandboxes|auth|ui|admin|mcp|health|docs)(?:\/|$))/;

type What = 'method' | 'app' | 'event' | 'target' | 'kind';

/**
 * What faults and delivery rules name: a name of nothing would never have an effect, so it is refused with the nearest
 * one (docs/reference/sandboxes.md#faults).
 */
@Injectable()
export class NamedThings {
  private routes: readonly string[] | undefined;

  constructor(
    private readonly names: KnownNames,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws RestError 400 unknown_method, unknown_app */
  async requireCall(tenantId: number, on: { readonly method: string; readonly app?: string }): Promise<void> {
    this.requireMethod(on.method);
    if (on.app === undefined) return;
    const apps = await this.names.apps(tenantId);
    if (!apps.includes(bare(on.app))) throw unknown('app', on.app, apps);
  }

  /** @throws RestError 400 unknown_target, unknown_kind, unknown_event */
  async requireDelivery(
    tenantId: number,
    { target, kind, event }: { readonly target?: string; readonly kind?: string; readonly event?: string },
  ): Promise<void> {
    if (kind !== undefined && !TARGET_KINDS.includes(kind)) throw unknown('kind', kind, TARGET_KINDS);
    const events = this.names.events();
    if (event !== undefined && !events.includes(event)) throw unknown('event', event, events);
    if (target === undefined) return;
    const targets = await this.names.targets(tenantId);
    if (!targets.includes(target)) throw unknown('target', target, targets);
  }

  private requireMethod(method: string): void {
    const methods = [...OTHER_METHODS, ...this.names.methods()];
    if (methods.includes(method)) return;
    const families = [...new Set(methods.flatMap(familiesOf))];
    if (families.includes(method)) return;
    this.routes ??= this.controlRoutes();
    // a path may stand in the place of its declaration, `:any` in that of any part
    if (method.includes('/') && this.routes.some((route) => patternOf(route).test(method))) return;
    throw unknown('method', method, [...methods, ...families, ...this.routes]);
  }

  /** `POST /api/apps/:id`: every route of a controller that is a call. */
  private controlRoutes(): string[] {
    const all = this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, object>;
      const [base] = listed(Reflect.getMetadata(PATH_METADATA, metatype));
      return this.scanner.getAllMethodNames(prototype).flatMap((key) => {
        const handler = prototype[key] as object;
        const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (verb === undefined) return [];
        return listed(Reflect.getMetadata(PATH_METADATA, handler)).map(
          (path) => `${RequestMethod[verb]} /${['api', base, path].map(trimmed).filter(Boolean).join('/')}`,
        );
      });
    });
    return all.filter((route) => !UNTOUCHED.test(route));
  }
}

const listed = (path: unknown): string[] => (Array.isArray(path) ? (path as string[]) : [String(path ?? '')]);
const trimmed = (path = ''): string => path.replace(/^\/+|\/+$/g, '');

/** `admin.users.list`: `admin.*`, `admin.users.*`; `oauth/token`: `oauth/*`. */
const familiesOf = (method: string): string[] =>
  [...method.matchAll(/[./]/g)].map(({ index }) => `${method.slice(0, index + 1)}*`);

const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, '[^/]+')}$`);

function unknown(what: What, name: string, known: readonly string[]): RestError {
  const near = nearest(name, known) ?? nearest(name.toLowerCase(), known);
  return new RestError(400, `on.${what}: unknown_${what} "${name}"${near === undefined ? '' : ` (${near}?)`}`);
}
