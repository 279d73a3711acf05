import type { Json } from '../api/wire.js';

/** A modal or an App Home (docs/reference/chat.md#views). */
export interface View {
  readonly id: string;
  readonly app_id: string;
  readonly hash: string;
  readonly type: string;
  readonly title?: Json | null;
  readonly submit?: Json | null;
  readonly close?: Json | null;
  readonly submit_disabled?: boolean;
  readonly blocks: unknown;
  readonly state?: { values: Record<string, Record<string, Json>> };
}
