/** An event as realtime and deliveries read it from the log. */
export interface RecordedEvent {
  readonly id: number;
  readonly tenantId: number;
  readonly product: string;
  readonly kind: string;
  readonly room: string;
  /** The organization's counter, null for chat events. */
  readonly syncId: number | null;
  /** JSON text. */
  readonly data: string;
  readonly recordedAt: Date;
  /** What its deliveries' ids are derived from; null or absent: they are random. */
  readonly draw?: string | null;
}

/** Its columns, as hand-written statements select them. */
export interface EventColumns {
  tenant_id: number;
  product: string;
  kind: string;
  room: string;
  sync_id: number | null;
  data: string;
  recorded_at: Date;
  draw?: string | null;
}

export const recordedEventOf = (id: number, row: EventColumns): RecordedEvent => ({
  id,
  tenantId: row.tenant_id,
  product: row.product,
  kind: row.kind,
  room: row.room,
  syncId: row.sync_id,
  data: row.data,
  recordedAt: row.recorded_at,
  draw: row.draw ?? null,
});
