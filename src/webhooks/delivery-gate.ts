import type { FailureReason } from './guarded-http.js';

/** A delivery about to be sent, as rules see it. */
export interface GatedDelivery {
  readonly tenantId: number;
  readonly deliveryId: number;
  readonly targetId: string;
  readonly product: string;
  /** The target's data from the dialect's `loadTargets`. */
  readonly target: unknown;
  readonly kind: string;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** JSON text of the event. */
  readonly data: string;
}

/** The effect of a rule on one attempt. `hold` without `dueMs` lasts until the delivery is released. */
export type GateDecision = { readonly ruleId: string } & (
  | { readonly type: 'hold'; readonly dueMs?: number }
  | { readonly type: 'drop' }
  | { readonly type: 'duplicate'; readonly copies: number; readonly gapMs: number }
  | { readonly type: 'bad_signature' }
  | { readonly type: 'stale_timestamp'; readonly seconds: number }
  | { readonly type: 'answer'; readonly status?: number; readonly error?: FailureReason }
);

/** Called for every attempt of tenants that have rules (`delivery_rules`). Null: it is sent as usual. */
export interface DeliveryGate {
  decide(delivery: GatedDelivery): Promise<GateDecision | null>;
  /** A delivery is held now. */
  held(decision: GateDecision, delivery: GatedDelivery): Promise<void>;
}
