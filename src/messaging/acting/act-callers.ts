import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { enterIds, fromCaller } from '../../kernel/clock/request-sandbox.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { CallSteps, isOperators } from '../../kernel/sandbox/call-steps.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { cleanText } from '../../kernel/text/clean.js';
import { isAdmin, managesAsPerson, type Identity } from '../access/identity.js';
import type { Role } from '../store/user.entity.js';
import { toRestError } from '../rest/rest-errors.js';
import { Credentials } from '../rpc/credentials.js';
import { bearer } from '../../kernel/http/bearer.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';
import { ACTING_PERSON } from './act-callers.queries.js';
import { withoutAt } from '../../kernel/text/names.js';

interface PersonRow {
  [column: string]: unknown;
  id: string | null;
  name: string;
  role: Role;
  isBot: boolean;
  isDeleted: boolean;
  workspaceId: string;
  workspaceName: string;
  workspaceDomain: string;
  tenantId: number;
  isDefault: boolean;
  flags: string | null;
  owner: string | null;
}

/** The parts of a request that identify the acting person. */
interface Sent {
  readonly as?: unknown;
  readonly team_id?: unknown;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? cleanText(value) : undefined;

/** Determines who acts: the caller, or a person the caller may act as. */
@Injectable()
export class ActCallers {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly credentials: Credentials,
    private readonly sandboxes: SandboxReader,
    private readonly steps: CallSteps,
  ) {}

  /** @throws RestError 401, 403, 404 user_not_found, team_not_found, 400, 409 */
  async personOf(request: FastifyRequest, sent: Sent): Promise<Identity> {
    const person = await this.find(request, sent);
    this.clock.enter(person.sandbox);
    if (request.method !== 'GET') await this.steps.begin(person.sandbox, { isOperators: isOperators(person, false) });
    return person;
  }

  private async find(request: FastifyRequest, sent: Sent): Promise<Identity> {
    const header = request.headers['x-admin-token'];
    if (typeof header === 'string' && header !== '') return this.byOperator(header, sent);
    const token = bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    const caller = await this.identify(token, textOf(sent.team_id));
    if (!managesAsPerson(caller)) throw new RestError(403, 'not_allowed_token_type');
    enterIds(caller.sandbox.ids);
    const as = fromCaller(textOf(sent.as));
    if (as === undefined) {
      // people's own actions need no scopes
      const { app: _, ...identity } = caller;
      return { ...identity, kind: 'jwt', scopes: [] };
    }
    if (!isAdmin(caller)) throw new RestError(403, 'not_admin');
    return this.person(caller.workspaceId, as, (row) => row);
  }

  private async byOperator(token: string, sent: Sent): Promise<Identity> {
    const name = await this.operatorOf(token);
    const as = textOf(sent.as);
    const teamId = textOf(sent.team_id);
    if (as === undefined) throw new RestError(400, 'as_required');
    if (name !== null && teamId === undefined) throw new RestError(404, 'team_not_found');
    const person = await this.person(teamId ?? null, as, (row) => {
      if (name !== null && (row.owner !== name || row.isDefault)) throw new RestError(404, 'team_not_found');
      return row;
    });
    // an id that means something in one sandbox alone does not name it
    if (person.sandbox.ids) throw new RestError(404, 'team_not_found');
    return person;
  }

  /** The name of an operator's token, null for the one that sees all. @throws RestError 401, 403 */
  private async operatorOf(token: string): Promise<string | null> {
    const { adminToken, adminTokens } = this.settings;
    if (adminToken === undefined && adminTokens === undefined) {
      const caller = await this.identify(token, undefined);
      if (!managesAsPerson(caller)) throw new RestError(403, 'not_allowed_token_type');
      const [row] = await this.db.read<PersonRow>(ACTING_PERSON, [caller.workspaceId, caller.userId]);
      if (!row?.isDefault || !isAdmin(caller)) throw new RestError(403, 'not_admin');
      return null;
    }
    let found: string | null | undefined;
    // compares with all of them, so that the time reveals nothing
    for (const [name, known] of adminTokens ?? []) if (isSameSecret(token, known)) found = name;
    if (adminToken !== undefined && isSameSecret(token, adminToken)) found = null;
    if (found === undefined) throw new RestError(401, 'invalid_auth');
    return found;
  }

  private async person(teamId: string | null, as: string, check: (row: PersonRow) => PersonRow): Promise<Identity> {
    const named = withoutAt(as);
    const [found] = await this.db.read<PersonRow>(ACTING_PERSON, [teamId, named]);
    if (!found) throw new RestError(404, 'team_not_found');
    const row = check(found);
    if (row.id === null) throw new RestError(404, 'user_not_found');
    if (row.isBot) throw new RestError(400, 'cannot_act_as_bot');
    if (row.isDeleted) throw new RestError(409, 'user_disabled');
    const sandbox = this.sandboxes.ofCall(row.flags);
    if (!sandbox) throw new RestError(404, 'team_not_found');
    return {
      kind: 'jwt',
      tenantId: row.tenantId,
      sandbox,
      workspaceId: row.workspaceId,
      workspaceName: row.workspaceName,
      workspaceDomain: row.workspaceDomain,
      userId: row.id,
      userName: row.name,
      role: row.role,
      isBot: false,
      scopes: [],
    };
  }

  private async identify(token: string, teamId: string | undefined): Promise<Identity> {
    try {
      return (await this.credentials.identify(token, teamId === undefined ? {} : { team_id: teamId })).identity;
    } catch (error) {
      throw toRestError(error);
    }
  }
}
