CREATE OR REPLACE FUNCTION tracker_has_account(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM tracker_users u WHERE u.account_id = account)
$$;
