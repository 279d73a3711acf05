-- What a snapshot keeps of the clock of a sandbox, with the numbers of its last call and of its organization's last change.
CREATE OR REPLACE FUNCTION sandbox_clock(s sandboxes) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('offset', s.clock_offset, 'frozenAt', s.clock_frozen_at, 'signWith', s.clock_sign_with, 'tickMs', s.clock_tick_ms,
    'draws', s.id_draws, 'syncId', tracker_sync_id(s.tenant_id))
$$;
