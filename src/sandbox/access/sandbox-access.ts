import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiHeader, ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Db } from '../../kernel/database/db.js';
import { enterIds } from '../../kernel/clock/request-sandbox.js';
import { readInCallersIds } from '../../kernel/http/callers-ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxCallers, type SandboxCaller } from '../../tenants/sandbox-callers.js';
import { ERROR_SCHEMA } from './schemas.js';
import { DEFAULT_SANDBOX, SANDBOX_BY_ID, SANDBOX_OF_TENANT, type SandboxRow } from './sandbox-row.queries.js';

/** A sandbox that the caller may work on, and the caller. */
export interface SandboxCall {
  readonly caller: SandboxCaller;
  readonly sandbox: SandboxRow;
  readonly flags: SandboxFlags;
}

/** The route that takes a document. */
const DOCUMENT = /\/sandboxes\/:id\/seed$/;

type SandboxRequest = FastifyRequest & { sandboxCall?: SandboxCall; sandboxCaller?: SandboxCaller };

/** The sandbox and the caller of a request; undefined before they are known. */
export const sandboxCallOf = (request: FastifyRequest): SandboxCall | undefined =>
  (request as SandboxRequest).sandboxCall;

/**
 * Access to sandboxes: `:id` is `self`, `default` or an id, and for a sandbox that the caller may not access the answer
 * is that it does not exist.
 */
@Injectable()
export class SandboxAccess {
  constructor(
    private readonly db: Db,
    private readonly callers: SandboxCallers,
    private readonly reader: SandboxReader,
  ) {}

  identify(request: FastifyRequest): Promise<SandboxCaller> {
    return this.callers.identify(request);
  }

  /** @throws RestError 404 sandbox_not_found */
  async open(caller: SandboxCaller, id: string): Promise<SandboxCall> {
    const sandbox = await this.find(caller, id);
    if (!sandbox || !mayOpen(caller, sandbox)) throw new RestError(404, 'sandbox_not_found');
    return { caller, sandbox, flags: this.reader.read(sandbox.flags) as SandboxFlags };
  }

  /**
   * Another sandbox to be compared with that of a call: one that the caller may work on, or a copy that the sandbox's own
   * caller made of it.
   * @throws RestError 404 sandbox_not_found
   */
  async openToCompare({ caller, sandbox }: SandboxCall, id: string): Promise<SandboxRow> {
    const other = await this.find(caller, id);
    const isOwnCopy = other?.copiedFrom === sandbox.tenantId && caller.tenantId === sandbox.tenantId;
    if (!other || (!isOwnCopy && !mayOpen(caller, other))) throw new RestError(404, 'sandbox_not_found');
    return other;
  }

  async ofTenant(tenantId: number): Promise<SandboxRow | undefined> {
    const [row] = await this.db.read<SandboxRow & Record<string, unknown>>(SANDBOX_OF_TENANT, [tenantId]);
    return row;
  }

  /**
   * The same of a sandbox that was there.
   * @throws RestError 404 sandbox_not_found when it was deleted meanwhile
   */
  async again({ tenantId }: Pick<SandboxRow, 'tenantId'>): Promise<SandboxRow> {
    const row = await this.ofTenant(tenantId);
    if (!row) throw new RestError(404, 'sandbox_not_found');
    return row;
  }

  private async find(caller: SandboxCaller, id: string): Promise<SandboxRow | undefined> {
    if (id === 'self') return caller.tenantId === null ? undefined : this.ofTenant(caller.tenantId);
    const rows =
      id === 'default'
        ? await this.db.read<SandboxRow & Record<string, unknown>>(DEFAULT_SANDBOX)
        : /^Sb0[0-9A-Z]{9}$/.test(id)
          ? await this.db.read<SandboxRow & Record<string, unknown>>(SANDBOX_BY_ID, [id])
          : [];
    return rows[0];
  }
}

const mayOpen = ({ admin, tenantId }: SandboxCaller, sandbox: SandboxRow): boolean =>
  sandbox.tenantId === tenantId || (admin !== null && (admin.name === null || admin.name === sandbox.owner));

/** Checks access as Ctl and Admin of docs/reference/sandboxes.md#sandboxes describe, for the sandbox of the path. */
@Injectable()
export class SandboxGuard implements CanActivate {
  constructor(private readonly access: SandboxAccess) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SandboxRequest>();
    const caller = await this.access.identify(request);
    request.sandboxCall = await this.access.open(caller, (request.params as { id: string }).id);
    enterIds(request.sandboxCall.flags.ids);
    // a document is read as it was sent, by its own rules for ids
    if (!DOCUMENT.test(request.routeOptions.url ?? '')) readInCallersIds(request);
    return true;
  }
}

/** Operators only. */
@Injectable()
export class SandboxAdminGuard implements CanActivate {
  constructor(private readonly access: SandboxAccess) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SandboxRequest>();
    const caller = await this.access.identify(request);
    if (!caller.admin) throw new RestError(403, 'not_admin');
    request.sandboxCaller = caller;
    return true;
  }
}

/** Any known caller; the service decides what they may do. */
@Injectable()
export class SandboxCallerGuard implements CanActivate {
  constructor(private readonly access: SandboxAccess) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SandboxRequest>();
    request.sandboxCaller = await this.access.identify(request);
    return true;
  }
}

const describeCredentials = [
  ApiBearerAuth(),
  ApiHeader({ name: 'X-Sandbox-Token', required: false, description: 'The control token of the sandbox' }),
  ApiHeader({ name: 'X-Admin-Token', required: false, description: "An operator's token" }),
  ApiDefaultResponse({ description: 'A refusal', schema: ERROR_SCHEMA }),
];

/** A route of one sandbox (`sandboxes/:id/…`): its control token, admins of its workspace, operators. Gives `@SandboxOf()`. */
export const ForSandbox = (): MethodDecorator =>
  applyDecorators(
    UseGuards(SandboxGuard),
    ...describeCredentials,
    ApiParam({ name: 'id', description: '`self`, `default` or the id of a sandbox', schema: { type: 'string' } }),
  );

/** A route for operators. Gives `@SandboxCallerOf()`. */
export const ForOperators = (): MethodDecorator =>
  applyDecorators(UseGuards(SandboxAdminGuard), ...describeCredentials);

/** A route for operators and callers with access to a sandbox. Gives `@SandboxCallerOf()`. */
export const ForSandboxCallers = (): MethodDecorator =>
  applyDecorators(UseGuards(SandboxCallerGuard), ...describeCredentials);

/** The sandbox of the path and the caller; needs `@ForSandbox`. */
export const SandboxOf = createParamDecorator((_: unknown, context: ExecutionContext): SandboxCall => {
  const { sandboxCall } = context.switchToHttp().getRequest<SandboxRequest>();
  if (!sandboxCall) throw new Error('@SandboxOf needs @ForSandbox');
  return sandboxCall;
});

export const SandboxCallerOf = createParamDecorator((_: unknown, context: ExecutionContext): SandboxCaller => {
  const { sandboxCaller } = context.switchToHttp().getRequest<SandboxRequest>();
  if (!sandboxCaller) throw new Error('@SandboxCallerOf needs @ForOperators or @ForSandboxCallers');
  return sandboxCaller;
});
