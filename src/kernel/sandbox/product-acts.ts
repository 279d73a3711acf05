import { Injectable } from '@nestjs/common';

/** Who acts: an account of a tenant. */
export interface ActingPerson {
  readonly tenantId: number;
  readonly accountId: string;
}

/**
 * What a person does in a product, from the fields of a request.
 * @throws RestError, BadRequestException
 */
export type ProductAct = (person: ActingPerson, sent: Readonly<Record<string, unknown>>) => Promise<object>;

/** Verbs of human actions beyond those of chat: a product registers its own at start-up. */
@Injectable()
export class ProductActs {
  private readonly acts = new Map<string, ProductAct>();

  register(acts: Readonly<Record<string, ProductAct>>): void {
    for (const [verb, act] of Object.entries(acts)) this.acts.set(verb, act);
  }

  find(verb: string): ProductAct | undefined {
    return this.acts.get(verb);
  }
}
