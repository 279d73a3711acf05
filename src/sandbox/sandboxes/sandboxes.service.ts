import { BadRequestException, Injectable } from '@nestjs/common';
import { AccessTokens, ACCESS_TOKEN_SECONDS } from '../../auth/access-tokens.js';
import { Sessions } from '../../auth/sessions.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newAlphanumeric, sha256Hex } from '../../kernel/ids/ids.js';
import { Sandbox } from '../../kernel/sandbox/sandbox.entity.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { TenantEnding } from '../../kernel/tenancy/tenant-ending.js';
import type { Admin } from '../../tenants/admins.js';
import { orgClaimOf } from '../../tenants/org-claim.js';
import { nextCursorOf, readPage, textOf } from '../access/page-query.js';
import { SandboxAccess, type SandboxCall } from '../access/sandbox-access.js';
import type { SandboxRow } from '../access/sandbox-row.queries.js';
import { DeliveryJournal } from '../timeline/delivery-journal.js';
import type { SandboxChanges } from './sandbox-changes.js';
import { SandboxView } from './sandbox-view.js';
import { withoutAt } from '../../kernel/text/names.js';
import { PERSON_OF_SANDBOX } from '../../tenants/both-products.queries.js';
import { PAGE_OF_SANDBOXES, CHANGE_SANDBOX, EXPIRED_SANDBOXES, TRY_SWEEP_LOCK } from './sandboxes.queries.js';

const SWEEP_EVERY_MS = 15_000;
const STORE_CALL_TIMES_EVERY_MS = 5_000;

interface Person extends Record<string, unknown> {
  id: string;
  name: string;
  isBot: boolean;
  disabled: boolean;
  realName: string | null;
  email: string | null;
}

export const newControlToken = (): string => `svc_sbx_${newAlphanumeric(40)}`;

/** Operations on a whole sandbox (docs/reference/sandboxes.md#sandboxes). */
@Injectable()
export class Sandboxes {
  constructor(
    private readonly db: Db,
    private readonly view: SandboxView,
    private readonly access: SandboxAccess,
    private readonly ending: TenantEnding,
    private readonly turns: FillingTurns,
    private readonly sessions: Sessions,
    private readonly accessTokens: AccessTokens,
    private readonly deliveryJournal: DeliveryJournal,
    upkeep: Upkeep,
  ) {
    upkeep.register('deleting sandboxes that are past their time', SWEEP_EVERY_MS, (stopped) => this.sweep(stopped));
    upkeep.register('noting when sandboxes were called', STORE_CALL_TIMES_EVERY_MS, () => this.view.storeCallTimes());
  }

  /** @throws BadRequestException */
  async list(admin: Admin, query: Readonly<Record<string, unknown>>): Promise<object> {
    const { limit, cursor, label, name } = readListing(query);
    const rows = await this.db.read<SandboxRow & Record<string, unknown>>(PAGE_OF_SANDBOXES, [
      admin.name,
      label && JSON.stringify(label),
      name,
      cursor,
      limit + 1,
    ]);
    return { sandboxes: await this.view.listed(rows.slice(0, limit)), next_cursor: nextCursorOf(rows[limit]) };
  }

  /** @throws BadRequestException */
  async change({ sandbox }: SandboxCall, changes: SandboxChanges): Promise<object> {
    if (sandbox.origin === 'default' && typeof changes.ttlSeconds === 'number') {
      throw new BadRequestException(['ttl_seconds must be null: the default workspace does not expire']);
    }
    await this.db.run(CHANGE_SANDBOX, [
      sandbox.tenantId,
      ...set(changes.name),
      ...set(changes.labels && JSON.stringify(changes.labels)),
      ...set(changes.ttlSeconds),
      ...set(changes.journal),
      ...set(changes.methods),
      ...set(changes.rateLimitMultiplier),
      ...set(changes.missingScopeStatus),
      ...set(changes.urls),
    ]);
    if (changes.journal !== undefined) await this.deliveryJournal.switched(sandbox.tenantId);
    return this.view.one(await this.access.again(sandbox));
  }

  /** @throws RestError 403 not_admin, 409 cant_delete_default_workspace */
  async remove({ caller, sandbox }: SandboxCall): Promise<void> {
    if (caller.person && !caller.admin && caller.person.userId !== sandbox.primaryOwnerId)
      throw new RestError(403, 'not_admin');
    if (sandbox.origin === 'default') throw new RestError(409, 'cant_delete_default_workspace');
    await this.turns.end(sandbox.tenantId, () =>
      this.db.writeAlone(sandbox.tenantId, (tx) => this.ending.end(tx, sandbox.tenantId), { keepsPlans: true }),
    );
  }

  /** Replaces the control token; the old one and the sessions issued with it are invalid from now on. */
  async renewControlToken({ sandbox }: SandboxCall): Promise<string> {
    const token = newControlToken();
    await this.db.write(async (tx) => {
      // of two concurrent renewals the later ends what the earlier issued
      const where = { tenantId: sandbox.tenantId };
      const held = await tx.sql.findOne(Sandbox, { where, lock: { mode: 'for_no_key_update' } });
      if (held && held.controlTokenHash !== null) await this.sessions.endVia(tx, held.controlTokenHash);
      await tx.sql.update(Sandbox, where, { controlTokenHash: sha256Hex(token) });
    });
    return token;
  }

  /**
   * @param user id or name
   * @throws RestError 403 not_allowed_token_type, not_admin, 404 user_not_found, 400 cannot_act_as_bot, 409 user_disabled
   */
  async actAs(call: SandboxCall, user: string): Promise<object> {
    const { person, token } = await this.signInAs(call, user, call.caller.person?.ui ? { ui: 1 } : {});
    return {
      access_token: token,
      expires_in: ACCESS_TOKEN_SECONDS,
      user: { id: person.id, name: person.name, real_name: person.realName ?? '', email: person.email },
    };
  }

  /**
   * A session of a person that opens this sandbox alone and ends with the caller's.
   * @param more further claims of its access token
   * @throws RestError as `actAs`
   */
  async signInAs(
    call: SandboxCall,
    user: string,
    more: Readonly<Record<string, unknown>>,
  ): Promise<{ person: Person; sid: string; token: string }> {
    const { caller, sandbox } = call;
    if (caller.person?.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    const person = await this.personFor(call, user);
    const via = caller.controlHash ?? caller.person?.sid ?? null;
    return this.openSession(sandbox, person, { ...more, acted_by: actorOf(caller) }, via);
  }

  /**
   * The same of a sandbox itself, where nobody asks at the moment.
   * @throws RestError as `person`
   */
  async signInFor(
    sandbox: SandboxRow,
    user: string,
    more: Readonly<Record<string, unknown>>,
  ): Promise<{ person: Person; sid: string; token: string }> {
    return this.openSession(sandbox, await this.person(sandbox, user), more, null);
  }

  private async openSession(
    sandbox: SandboxRow,
    person: Person,
    more: Readonly<Record<string, unknown>>,
    via: string | null,
  ): Promise<{ person: Person; sid: string; token: string }> {
    const claims = {
      team_id: sandbox.workspaceId,
      ...(sandbox.organizationId === null ? {} : { org: orgClaimOf(sandbox.organizationId) }),
      bound: true,
      ...more,
    };
    const [sid = ''] = await this.db.write((tx) => this.sessions.open(tx, [person.id], claims, { via }));
    return { person, sid, token: await this.accessTokens.issue({ accountId: person.id, sid, claims }) };
  }

  /**
   * A person in whose name the caller may act: an admin may not act as the primary owner.
   * @throws RestError 403 not_admin, and as `person`
   */
  async personFor({ caller, sandbox }: SandboxCall, user: string): Promise<Person> {
    const person = await this.person(sandbox, user);
    if (caller.person && person.id === sandbox.primaryOwnerId && caller.person.userId !== person.id) {
      throw new RestError(403, 'not_admin');
    }
    return person;
  }

  /**
   * A person of the sandbox who can act.
   * @throws RestError 404 user_not_found, 400 cannot_act_as_bot, 409 user_disabled
   */
  async person(sandbox: SandboxRow, idOrName: string): Promise<Person> {
    const [person] = await this.db.read<Person>(PERSON_OF_SANDBOX, [
      sandbox.workspaceId,
      withoutAt(idOrName),
      sandbox.organizationId,
    ]);
    if (!person) throw new RestError(404, 'user_not_found');
    if (person.isBot) throw new RestError(400, 'cannot_act_as_bot');
    if (person.disabled) throw new RestError(409, 'user_disabled');
    return person;
  }

  /** Deletes expired sandboxes, by one replica at a time. */
  async sweep(stopped: () => boolean = () => false): Promise<void> {
    for (let found = true; found && !stopped();) {
      found = await this.db.write(async (tx) => {
        const [lock] = await tx.query<{ mine: boolean }>(TRY_SWEEP_LOCK);
        const [next] = lock?.mine ? await tx.query<{ tenantId: number }>(EXPIRED_SANDBOXES) : [];
        if (next) await this.ending.end(tx, next.tenantId);
        return next !== undefined;
      });
    }
  }
}

/** Who asks to act as somebody, as entries of the timeline name them. */
export const actorOf = ({ person, controlHash }: SandboxCall['caller']): string =>
  person?.userId ?? (controlHash === null ? 'admin' : 'control_token');

/** Whether a value was sent, and the value. */
const set = (value: unknown): [boolean, unknown] => [value !== undefined, value ?? null];

function readListing(query: Readonly<Record<string, unknown>>): {
  limit: number;
  cursor: string | null;
  label: Record<string, string> | null;
  name: string | null;
} {
  const faults: string[] = [];
  const page = readPage(query, /^Sb0[0-9A-Z]{9}$/, faults);
  const [label, name] = [textOf(query, 'label', faults), textOf(query, 'name', faults)];
  const colon = label?.indexOf(':') ?? -1;
  if (label !== null && colon < 1) faults.push('label must be key:value');
  if (faults.length > 0) throw new BadRequestException(faults);
  return {
    ...page,
    label: label === null ? null : { [label.slice(0, colon)]: label.slice(colon + 1) },
    name,
  };
}
