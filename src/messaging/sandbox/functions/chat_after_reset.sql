-- Tables of other rooms: socket_connections. What is connected stays connected.
-- Apps that are connected now hear of events though the rows are those of earlier; the connection's renewal goes on from there.
CREATE OR REPLACE FUNCTION chat_after_reset(tenant bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE event_targets t SET open_until = clock_timestamp() + interval '1 minute'
   WHERE t.tenant_id = tenant AND t.is_socket AND t.open_until IS NOT NULL
     AND EXISTS (SELECT FROM socket_connections c WHERE c.app_id = t.app_id AND c.lease_until > clock_timestamp());
END $$;
