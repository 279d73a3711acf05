import { Injectable } from '@nestjs/common';
import type { SandboxTime } from '../kernel/clock/request-sandbox.js';
import type { Call } from '../kernel/http/calls.js';
import type { IdSpace } from '../kernel/ids/id-space.js';
import type { Product } from '../kernel/product.js';

/** Who looks at the page: anybody, who then picks a person; or who signed in, where somebody did. */
export type Viewer = { readonly kind: 'picker' } | { readonly kind: 'account'; readonly accountId: string | null };

export interface Choice {
  readonly id: string;
  readonly label: string;
}

/** A tenant into which the app may be put. */
export interface TenantShown extends Choice {
  /** Where one may be chosen: channels, the default one first. */
  readonly channels?: readonly Choice[];
  /** Who can be picked. */
  readonly people: readonly Choice[];
}

/** What the page says. */
export interface ConsentShown {
  readonly app: string;
  readonly description?: string | undefined;
  /** What is asked for, by who will hold it. */
  readonly asks: readonly {
    readonly title: string;
    readonly scopes: readonly { readonly name: string; readonly isNew: boolean }[];
  }[];
  /** None as long as nobody has signed in. */
  readonly tenants: readonly TenantShown[];
  readonly notes: readonly string[];
  /** Who signed in. */
  readonly person?: string | undefined;
}

/** What somebody decided. */
export interface Decision {
  readonly userId: string;
  readonly placeId: string | undefined;
  readonly channelId: string | undefined;
}

/** A decision that may be redeemed. */
export interface Granted {
  readonly tenantId: number;
  readonly homeId: number;
  readonly clientId: string;
  readonly kind: 'install' | 'sign-in';
  readonly consent: unknown;
  /** The clock of the sandbox in which it holds. */
  readonly time: SandboxTime | null;
}

/** What every request for consent has; products add their own. */
export interface ConsentRequest {
  readonly homeId: number;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** A product's part of the consent page. */
export interface ConsentProduct<R extends ConsentRequest = ConsentRequest> {
  readonly product: Product;
  /** What the app is told, beside `access_denied`, when somebody cancels. */
  readonly denied?: string;
  /** @throws ConsentError 403 not_a_member */
  show(request: R, viewer: Viewer): Promise<ConsentShown>;
  /** @throws ConsentError 400 user_not_found, channel_not_found, 403 not_a_member; ConsentRefusal, which the app is told of */
  grant(request: R, viewer: Viewer, decision: Decision): Promise<Granted>;
  /** The ids that those who see the page know, where they are the app's sandbox's own. */
  idsOf(request: R): Promise<IdSpace | null>;
  /** As SQL: the accounts of a tenant's people. @param tenant the parameter with its id */
  accountsOf(tenant: string): string;
  /** A new code in the product's form. */
  newCode(): string;
  /** A decision as a call of the app's home, for the timeline and faults; its arguments are the form's. */
  callOf(request: R): Promise<Omit<Call, 'args' | 'caller'>>;
}

/** The products whose apps people can consent to; each registers at start-up. */
@Injectable()
export class ConsentProducts {
  private readonly byName = new Map<string, ConsentProduct>();

  register<R extends ConsentRequest>(product: ConsentProduct<R>): void {
    this.byName.set(product.product, product as unknown as ConsentProduct);
  }

  /** The accounts of a tenant's people in all products, as SQL. */
  accountsOf(tenant: string): string {
    return [...this.byName.values()].map((product) => product.accountsOf(tenant)).join(' UNION ALL ');
  }

  of(name: string): ConsentProduct {
    const product = this.byName.get(name);
    if (!product) throw new Error(`nobody asks for consent in ${name}`);
    return product;
  }
}
