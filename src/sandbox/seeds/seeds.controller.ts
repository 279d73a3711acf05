import { BadRequestException, Body, Controller, Get, HttpCode, Inject, Post, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { currentDraw, enterIds } from '../../kernel/clock/request-sandbox.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { RestError } from '../../kernel/http/http-error.js';
import { SandboxCopies } from '../../tenants/copies/sandbox-copies.js';
import type { SandboxCaller } from '../../tenants/sandbox-callers.js';
import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import { TenantShares } from '../../kernel/tenancy/tenant-shares.js';
import type { DocumentOwner } from '../../tenants/seeds/document-threads.js';
import { SeedDocuments } from '../../tenants/seeds/documents.js';
import type { Seed } from '../../tenants/seeds/seed-types.js';
import { Exporting } from '../../tenants/seeds/export/exporting.js';
import { NewSandboxes, type NewSandbox } from '../../tenants/seeds/new-sandbox.js';
import {
  ForSandbox,
  ForSandboxCallers,
  SandboxAccess,
  SandboxCallerOf,
  SandboxOf,
  type SandboxCall,
} from '../access/sandbox-access.js';
import { McpUrls } from '../mcp-urls/mcp-urls.service.js';
import { Pools } from '../pools/pools.service.js';
import { SandboxJournal } from '../ports.js';
import { Scripts } from '../scripts/scripts.service.js';
import { CHANGE_FIELDS } from '../sandboxes/sandbox-changes.js';
import { SandboxView } from '../sandboxes/sandbox-view.js';
import {
  APPS_SCHEMA,
  CREATED_SCHEMA,
  REFS_SCHEMA,
  TRACKER_APPS_SCHEMA,
  USERS_SCHEMA,
} from '../sandboxes/sandboxes.schemas.js';
import { SANDBOX_DOCUMENT, SEED_DOCUMENT } from './document.schema.js';
import { faultsOfClaim, faultsOfCopy, readSandboxDocument } from './sandbox-document.js';

const NOT_ADDED = [...CHANGE_FIELDS, 'clock', 'team', 'from', 'pool', 'id_space', 'deterministic'];
/** The routes that accept documents. */
const DOCUMENTS = /^\/api\/sandboxes(?:\/[^/]+\/seed)?$/;
const MAX_BYTES = 32 * 1024 * 1024;
const STRICT = {
  name: 'strict',
  required: false,
  schema: { type: 'boolean' },
  description: 'true: what would be a warning is a fault (400)',
} as const;
const DOCUMENT_TYPES = ['application/json', 'application/yaml'];

/** Making and filling sandboxes from documents (docs/reference/sandboxes.md#sandboxes, #seeds). */
@ApiTags('sandboxes')
@Controller('sandboxes')
export class SeedsController {
  constructor(
    private readonly sandboxes: NewSandboxes,
    private readonly documents: SeedDocuments,
    private readonly copies: SandboxCopies,
    private readonly pools: Pools,
    private readonly exporting: Exporting,
    private readonly access: SandboxAccess,
    private readonly view: SandboxView,
    private readonly journal: SandboxJournal,
    private readonly clock: Clock,
    private readonly shares: TenantShares,
    private readonly mcpUrls: McpUrls,
    private readonly scripts: Scripts,
    private readonly steps: CallSteps,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    edges: HttpEdges,
  ) {
    edges.addDocuments(DOCUMENTS, MAX_BYTES);
  }

  @Post()
  @ForSandboxCallers()
  @ApiOperation({
    operationId: 'createSandbox',
    summary:
      'Make a sandbox of a document (operators), with `pool` take one that is ready there, or with `from` copy a snapshot (its control token, too). 404 snapshot_not_found, pool_not_found, 409 too_many_sandboxes, domain_taken, email_taken, id_taken, token_taken, command_taken, with `path`',
  })
  @ApiConsumes(...DOCUMENT_TYPES)
  @ApiBody({ schema: SANDBOX_DOCUMENT })
  @ApiQuery(STRICT)
  @ApiCreatedResponse({ schema: CREATED_SCHEMA })
  async create(
    @SandboxCallerOf() caller: SandboxCaller,
    @Body() body: unknown,
    @Query('strict') strict?: string,
  ): Promise<object> {
    const owner = this.ownerOf(caller);
    const document = await this.documents.fields(body, owner);
    if (document['from'] === undefined && !caller.admin) throw new RestError(403, 'not_admin');
    const options = readSandboxDocument(document, this.clock.wallMicros());
    if (document['pool'] !== undefined) {
      if (!caller.admin) throw new RestError(403, 'not_admin');
      this.refuse([...options.faults, ...faultsOfClaim(document)]);
      const claimed = await this.pools.claim(caller.admin, document['pool'] as string, options.set);
      return { ...(await this.show(claimed, [])), pooled: claimed.isPooled };
    }
    const byDefault = this.settings.sandboxTtlSeconds === 0 ? null : this.settings.sandboxTtlSeconds;
    const { ttlSeconds = byDefault, ...set } = options.set;
    if (document['from'] !== undefined) {
      this.refuse([...options.faults, ...faultsOfCopy(document)]);
      const { sandboxTtlSeconds: seconds, sandboxLimit: sandboxes } = this.settings;
      await this.sandboxes.requireRoom(sandboxes);
      const bounds = { seconds, sandboxes };
      const copy = await this.copies.make(caller, document['from'] as string, { ...set, ttlSeconds }, bounds);
      return this.show(copy, []);
    }
    const draw = set.hasOwnIds ? { seed: set.randomSeed, call: 'document' } : null;
    const of = { time: options.time, methods: set.methods, draw };
    const seed = await this.documents.read(body, of, strict === 'true', owner);
    this.refuse([...options.faults, ...(options.faults.length > 0 ? seed.faults : [])]);
    if (set.hasOwnIds) refuseInOwnIds(seed);
    const made = await this.sandboxes.create(
      { ...set, ttlSeconds, owner: caller.admin?.name ?? null, time: options.time, tickMs: options.tickMs },
      options.team,
      seed,
      this.settings.sandboxLimit,
    );
    return this.show(made, seed.warnings);
  }

  /** With whose documents this caller's take turns. */
  private ownerOf({ tenantId, admin }: SandboxCaller): DocumentOwner {
    return tenantId === null ? `operator ${admin?.name ?? ''}` : this.shares.of(tenantId);
  }

  private refuse(faults: readonly string[]): void {
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, 50));
  }

  private async show(
    { tenantId, credentials, ids, hasScript }: NewSandbox,
    warnings: readonly string[],
  ): Promise<object> {
    enterIds(ids);
    if (hasScript) this.scripts.follow(tenantId);
    const [made, mcp] = await Promise.all([this.view.made(tenantId), this.mcpUrls.ofDefaultApp(tenantId)]);
    const urls = mcp && { chat_url: mcp.chat_url, issues_url: mcp.issues_url };
    return {
      ...made,
      credentials: { ...credentials, ...(urls && { mcp: urls }) },
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }

  @Get(':id/seed')
  @ForSandbox()
  @ApiOperation({
    operationId: 'exportSandbox',
    summary: 'The sandbox as a document, without secrets. 409 sandbox_too_large',
  })
  @ApiQuery({
    name: 'ids',
    required: false,
    schema: { type: 'boolean' },
    description: 'true: with ids, timestamps, domain and e-mail addresses',
  })
  @ApiQuery({ name: 'format', required: false, schema: { type: 'string', enum: ['json', 'yaml'], default: 'json' } })
  @ApiOkResponse({
    content: { 'application/json': { schema: SANDBOX_DOCUMENT }, 'application/yaml': { schema: { type: 'string' } } },
  })
  async export(
    @SandboxOf() { sandbox }: SandboxCall,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query('ids') ids?: string,
    @Query('format') format?: string,
  ): Promise<object | string> {
    if (format !== undefined && format !== 'json' && format !== 'yaml') {
      throw new BadRequestException(['format must be json or yaml']);
    }
    const document = await this.exporting.document(sandbox.tenantId, { ids: ids === 'true' });
    if (format !== 'yaml') return document;
    void reply.type('application/yaml; charset=utf-8');
    return this.exporting.asYaml(document);
  }

  @Post(':id/seed')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'seedSandbox', summary: 'Add what a document says' })
  @ApiConsumes(...DOCUMENT_TYPES)
  @ApiBody({ schema: SEED_DOCUMENT })
  @ApiQuery(STRICT)
  @ApiQuery({
    name: 'baseline',
    required: false,
    schema: { type: 'boolean' },
    description: 'true: the result becomes the state that a reset restores',
  })
  @ApiOkResponse({
    schema: {
      type: 'object',
      required: ['refs', 'users', 'channels', 'apps', 'teams'],
      properties: {
        tracker_apps: TRACKER_APPS_SCHEMA,
        refs: REFS_SCHEMA,
        users: USERS_SCHEMA,
        channels: { type: 'object', additionalProperties: { type: 'string' } },
        apps: APPS_SCHEMA,
        teams: { type: 'object', additionalProperties: { type: 'object', properties: { id: { type: 'string' } } } },
      },
    },
  })
  async seed(
    @SandboxOf() call: SandboxCall,
    @Body() body: unknown,
    @Query('strict') strict?: string,
    @Query('baseline') baseline?: string,
  ): Promise<object> {
    const { caller, sandbox, flags } = call;
    const owner = this.ownerOf(caller);
    const document = await this.documents.fields(body, owner);
    const refused = NOT_ADDED.filter((field) => document[field] !== undefined);
    if (refused.length > 0)
      throw new BadRequestException(refused.map((field) => `${field}: only a new sandbox takes it`));
    const { ids, time, methods } = flags;
    await this.steps.begin(flags, { isOperators: true, setsOff: true });
    const made = currentDraw();
    const draw = made && { seed: made.seed, call: `${made.call} document` };
    const read = await this.documents.read(body, { time, methods, draw }, strict === 'true', owner);
    if (ids) refuseInOwnIds(read);
    const seed = ids ? eachText(read, (text) => ids.inside(text)) : read;
    await this.scripts.requireMayActAs(call, seed.script);
    const seeded = await this.sandboxes.add(sandbox.tenantId, flags.time, seed, {
      baseline: baseline === 'true',
      record: (tx) => this.journal.record(tx, sandbox.tenantId, 'seed', { refs: Object.keys(document) }),
    });
    if (seed.script.length > 0) this.scripts.follow(sandbox.tenantId);
    return { ...seeded, ...(seed.warnings.length > 0 ? { warnings: seed.warnings } : {}) };
  }
}

/** @throws RestError 400 not_in_own_id_space: an app that is installed elsewhere would have an id that means something here */
function refuseInOwnIds({ apps }: Seed): void {
  const found = apps.find(({ isDistributed }) => isDistributed);
  if (found) throw new RestError(400, 'not_in_own_id_space', undefined, `${found.path}.distributed`);
}
