import { statement } from '../database/statement.js';

/* Hand-written: the change depends on the row's current state, and images are handled as sets. */

export const SET_BASELINE = statement(
  'tenants_set_baseline',
  `UPDATE sandboxes SET epoch = epoch + 1, baseline_epoch = epoch + 1, baseline_rows = NULL,
     baseline_clock = sandbox_clock(sandboxes)
   WHERE tenant_id = $1 RETURNING baseline_epoch AS epoch`,
);

export const FORGET_IMAGES = statement(
  'tenants_forget_images',
  `DELETE FROM sandbox_undo WHERE tenant_id = $1
     AND epoch < coalesce(least((SELECT min(epoch) FROM snapshots WHERE tenant_id = $1), $2), $2)`,
);
