import { Injectable } from '@nestjs/common';
import { newHex } from '../../kernel/ids/ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ConsentBrowser } from '../../oauth/consent-browser.js';
import { InstallableProducts, type InstallableApp, type InstallableProduct } from '../../oauth/installable-products.js';
import { OauthCodes } from '../../oauth/oauth-codes.js';
import { AppPages, CookieJar, type AppPage } from './app-pages.js';
import { AuthorizeLinks, type AuthorizeLink, type Hop } from './authorize-links.js';
import type { InstallBody } from './installing.dto.js';
import { OwnPages } from './own-pages.js';

const DEFAULT_TIMEOUT_MS = 10_000;

/** What an installation for a test has led to. */
interface Installed {
  readonly authorize_url: string;
  readonly redirected_to: string;
  readonly code: string | null;
  readonly response: object | null;
  readonly error?: string;
  readonly hops: readonly Hop[];
  readonly installed: boolean;
  readonly installation: object | null;
  readonly tokens?: object;
  readonly warnings?: readonly string[];
  readonly waited_ms: number;
}

/** Installs apps as a person with a browser does, without either (docs/reference/installing.md#for-tests). */
@Injectable()
export class TestInstalls {
  constructor(
    private readonly products: InstallableProducts,
    private readonly links: AuthorizeLinks,
    private readonly pages: AppPages,
    private readonly ownPages: OwnPages,
    private readonly browser: ConsentBrowser,
    private readonly codes: OauthCodes,
  ) {}

  /**
   * @param ownHost the host by which the caller reaches this server
   * @throws RestError 404 user_not_found, app_not_found, channel_not_found, 400 cannot_act_as_bot and faults of the
   * authorize URL, 409 no_authorize_url
   */
  async install(tenantId: number, body: InstallBody, ownHost: string): Promise<Installed> {
    const startedAt = performance.now();
    const timeoutMs = body.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const hops: Hop[] = [];
    const cookies = new CookieJar();
    const named = await this.productOf(tenantId, body.product ?? 'chat', body.start ?? body.authorize_url);
    const { link, app } = await this.linkFor(tenantId, named, body, { timeoutMs, ownHost, hops, cookies });
    const { product } = link;
    if (product !== named) await this.requireProduct(tenantId, product);
    const warnings = app ? await product.warnings(tenantId, app) : [];
    const consent = await product.consentAs(tenantId, body.as, body.channel);
    const decided = await this.ownPages.decide(link.path, {
      headers: this.browser.actingAs(consent.accountId),
      fields: { ...consent.fields, decision: body.decision ?? 'allow' },
      timeoutMs,
    });
    hops.push({ url: link.url, status: decided.status });
    const target = new URL(decided.location);
    const code = target.searchParams.get('code');
    const tokens = body.exchange && code !== null ? await product.redeem(code) : undefined;
    const follows = body.exchange !== true && body.follow !== false;
    const page = follows ? await this.follow(target, cookies, timeoutMs, hops) : undefined;
    const isInstalled = code !== null && (await this.codes.find(code))?.isRedeemed === true;
    return {
      authorize_url: link.url,
      redirected_to: target.href,
      code,
      response: page && !('error' in page) ? page : null,
      ...(page && 'error' in page && { error: page.error }),
      hops,
      installed: isInstalled,
      installation: isInstalled ? await this.installationOf(tenantId, link) : null,
      ...(tokens && { tokens }),
      ...(warnings.length > 0 && { warnings }),
      waited_ms: Math.round(performance.now() - startedAt),
    };
  }

  /** All installations of both halves. */
  async list(tenantId: number): Promise<object> {
    const lists = await Promise.all(this.products.all().map((product) => product.installations(tenantId)));
    return { installations: lists.flat() };
  }

  /** @throws RestError 404 not_found, user_not_found, 400 cannot_act_as_bot */
  async configToken(tenantId: number, user: string | undefined): Promise<object> {
    const product = await this.productOf(tenantId, 'chat', undefined);
    if (!product.configToken) throw new RestError(404, 'not_found');
    return product.configToken(tenantId, user);
  }

  /** @throws RestError 404 not_found where the tenant has no such product, or no OAuth */
  async productOf(tenantId: number, name: string, url: string | undefined): Promise<InstallableProduct> {
    const product = this.products.of(name);
    // a URL leads to the product it is of
    if (product && (url !== undefined || (await product.has(tenantId)))) return product;
    throw new RestError(404, 'not_found');
  }

  private async requireProduct(tenantId: number, product: InstallableProduct): Promise<void> {
    if (!(await product.has(tenantId))) throw new RestError(404, 'not_found');
  }

  /** Where the person is asked: as the app says, or as its registration does. */
  private async linkFor(
    tenantId: number,
    product: InstallableProduct,
    body: InstallBody,
    visit: { timeoutMs: number; ownHost: string; hops: Hop[]; cookies: CookieJar },
  ): Promise<{ link: AuthorizeLink; app: InstallableApp | null }> {
    const { start, authorize_url: authorizeUrl, app: name, client_id: clientId } = body;
    const found =
      start !== undefined
        ? await this.links.find(start, this.pages, visit.cookies, visit)
        : authorizeUrl !== undefined
          ? this.links.read(authorizeUrl, visit.ownHost)
          : null;
    if (found === undefined) throw new RestError(400, 'authorize_url: must be an authorize URL of this server');
    if (found) {
      await this.requireProduct(tenantId, found.product);
      const named = new URL(found.url).searchParams.get('client_id') ?? undefined;
      return {
        link: found,
        app: named === undefined ? null : await found.product.findApp(tenantId, { clientId: named }),
      };
    }
    if (name === undefined && clientId === undefined)
      throw new RestError(400, 'app: give app, client_id, start or authorize_url');
    const app = await product.findApp(tenantId, { app: name, clientId });
    if (!app && clientId === undefined) throw new RestError(404, 'app_not_found');
    const path = await product.authorizeUrl(tenantId, app ?? { id: '', name: '', clientId: clientId as string }, {
      scope: body.scope,
      user_scope: body.user_scope,
      redirect_uri: body.redirect_uri,
      actor: body.actor,
      state: body.state ?? newHex(32),
    });
    return { link: { product, url: this.links.urlOf(path), path }, app };
  }

  private async follow(target: URL, cookies: CookieJar, timeoutMs: number, hops: Hop[]): Promise<AppPage> {
    const page = await this.pages.get(target, cookies, timeoutMs);
    hops.push({ url: target.href, status: 'error' in page ? 0 : page.status });
    return page;
  }

  private async installationOf(tenantId: number, { product, url }: AuthorizeLink): Promise<object | null> {
    const clientId = new URL(url).searchParams.get('client_id');
    const rows = await product.installations(tenantId);
    return rows.find((row) => row.client_id === clientId) ?? null;
  }
}
