import { Injectable } from '@nestjs/common';

/** Who acts: an account of a tenant. */
export interface ActingPerson {
  readonly tenantId: number;
  readonly accountId: string;
}

type Sent = Readonly<Record<string, unknown>>;

/** From when on effects of an act are looked for. */
export interface ActMoment {
  /** The end of the event log before it. */
  readonly after: number;
  /** When its first event was written, in milliseconds since 1970. */
  readonly from: number;
}

/** What apps of a product have done in response to an act. */
export interface ProductReplies {
  readonly comments: readonly Sent[];
  readonly activities: readonly (Sent & { readonly type: string })[];
}

/** An act that was done. */
export interface ProductActed {
  readonly result: object;
  /** An agent's session has begun or was prompted: its answer is waited for. */
  readonly asksAgent?: boolean;
  /** What apps have done at that place since; absent: nobody looks. */
  readonly replies?: (since: ActMoment) => Promise<ProductReplies>;
}

/**
 * What a person does in a product, from the fields of a request.
 * @throws RestError, BadRequestException
 */
export type ProductAct = (person: ActingPerson, sent: Sent) => Promise<ProductActed>;

/** What a person sees of a product now. @throws RestError */
export type ProductScreen = (person: ActingPerson, query: Sent) => Promise<object>;

/** Verbs of human actions beyond those of chat, and screens: a product registers its own at start-up. */
@Injectable()
export class ProductActs {
  private readonly acts = new Map<string, ProductAct>();
  private readonly screens = new Map<string, ProductScreen[]>();

  register(acts: Readonly<Record<string, ProductAct>>): void {
    for (const [verb, act] of Object.entries(acts)) this.acts.set(verb, act);
  }

  /** A part of a product's screen: what it shows stands beside the other parts. */
  registerScreen(product: string, part: ProductScreen): void {
    this.screens.set(product, [...(this.screens.get(product) ?? []), part]);
  }

  find(verb: string): ProductAct | undefined {
    return this.acts.get(verb);
  }

  screenOf(product: string): ProductScreen | undefined {
    const parts = this.screens.get(product);
    return (
      parts &&
      (async (person, query) =>
        Object.assign({}, ...(await Promise.all(parts.map((part) => part(person, query))))) as object)
    );
  }
}
