CREATE OR REPLACE FUNCTION chat_has_account(account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM users u WHERE u.id = account)
$$;
