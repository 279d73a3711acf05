import { Injectable } from '@nestjs/common';
import type { Product } from '../kernel/product.js';

/** An app that can be installed in a tenant: its own, or one of another that may be installed elsewhere. */
export interface InstallableApp {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
}

/** What an authorize URL made for a test asks for; what is absent is the registration's. */
export interface AuthorizeAsk {
  readonly scope?: string | undefined;
  readonly user_scope?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly actor?: string | undefined;
  readonly state: string;
}

/** Somebody's consent, as the fields of the consent page's form say it. */
export interface ConsentAs {
  /** Who it is: the account that a sign-in on the page would lead to. */
  readonly accountId: string;
  /** `user`, `team`, `channel` … as the page offers them. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One token, or those of a kind that an app holds; configuration tokens are of people, and of no app. */
export type TokenChoice =
  | { readonly token: string }
  | {
      readonly app?: string | undefined;
      readonly kind: 'bot' | 'user' | 'refresh' | 'config' | 'access';
      readonly user?: string | undefined;
    };

/**
 * What installing for tests needs of a product (docs/reference/installing.md#for-tests). Everything else goes through the
 * product's own routes, as a browser and an app use them.
 */
export interface InstallableProduct {
  readonly product: Product;
  /** Paths of its authorize URLs. */
  readonly authorizePaths: readonly string[];
  /** Hosts of the service it stands in for: many apps have those fixed, so its authorize URLs count as this server's. */
  readonly vendorHosts: readonly string[];
  /** Whether the tenant has this product, and its OAuth. */
  has(tenantId: number): Promise<boolean>;
  /** By the name or id of a tenant's own app, or by a client id of any that may be installed there; null: none. */
  findApp(
    tenantId: number,
    by: { readonly app?: string | undefined; readonly clientId?: string | undefined },
  ): Promise<InstallableApp | null>;
  /** The path and query of an authorize URL. */
  authorizeUrl(tenantId: number, app: InstallableApp, ask: AuthorizeAsk): Promise<string>;
  /**
   * Who consents in the tenant: by name, id or e-mail address; absent: its primary owner.
   * @throws RestError 404 user_not_found, channel_not_found, 400 cannot_act_as_bot
   */
  consentAs(tenantId: number, as: string | undefined, channel: string | undefined): Promise<ConsentAs>;
  /** What an installation of the app in the tenant leaves out, as sentences. */
  warnings(tenantId: number, app: InstallableApp): Promise<readonly string[]>;
  /**
   * Redeems a code as the token endpoint does, without its client's secret or verifier, and answers as that does.
   * @throws RestError 400 with the code of the token endpoint
   */
  redeem(code: string): Promise<object>;
  /** All installations in the tenant: `{product, app_id, client_id, name, …}`, oldest first, at most 1,000. */
  installations(tenantId: number): Promise<readonly (object & { readonly client_id: string | null })[]>;
  /** Ends tokens by time, or revokes them with all that this means. @returns how many */
  endTokens(tenantId: number, how: 'expire' | 'revoke', choice: TokenChoice): Promise<number>;
  /**
   * A configuration token of somebody, default: the primary owner; where the product has such tokens.
   * @throws RestError 404 user_not_found, 400 cannot_act_as_bot
   */
  configToken?(tenantId: number, user: string | undefined): Promise<object>;
}

/** The products whose apps can be installed; each registers at start-up. */
@Injectable()
export class InstallableProducts {
  private readonly byName = new Map<string, InstallableProduct>();

  register(product: InstallableProduct): void {
    this.byName.set(product.product, product);
  }

  /** Undefined: nothing of this product can be installed. */
  of(name: string): InstallableProduct | undefined {
    return this.byName.get(name);
  }

  all(): readonly InstallableProduct[] {
    return [...this.byName.values()];
  }
}
