import { Injectable } from '@nestjs/common';

/** What tests may name of a product, in faults and in rules for deliveries. */
export interface NamesOfProduct {
  /** What its calls are named: methods, root fields. */
  methods(): readonly string[];
  /** What its deliveries are about. */
  events(): readonly string[];
  /** Names and ids of a tenant's apps. */
  apps?(tenantId: number): Promise<readonly string[]>;
  /** Ids and addresses of what a tenant's deliveries go to. */
  targets(tenantId: number): Promise<readonly string[]>;
}

/** The products' names, joined. */
@Injectable()
export class KnownNames {
  private readonly products: NamesOfProduct[] = [];

  /** Registers a product, at start-up. */
  register(product: NamesOfProduct): void {
    this.products.push(product);
  }

  methods(): string[] {
    return this.products.flatMap((product) => product.methods());
  }

  events(): string[] {
    return this.products.flatMap((product) => product.events());
  }

  async apps(tenantId: number): Promise<string[]> {
    return (await Promise.all(this.products.map((product) => product.apps?.(tenantId) ?? []))).flat();
  }

  async targets(tenantId: number): Promise<string[]> {
    return (await Promise.all(this.products.map((product) => product.targets(tenantId)))).flat();
  }
}
