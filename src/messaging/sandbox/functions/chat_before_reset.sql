-- What of a workspace was there for a moment only, and which no reset puts back.
CREATE OR REPLACE FUNCTION chat_before_reset(workspace text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM response_urls WHERE workspace_id = workspace;
  DELETE FROM triggers WHERE workspace_id = workspace;
  DELETE FROM views WHERE workspace_id = workspace;
  DELETE FROM ephemeral_messages WHERE workspace_id = workspace;
  DELETE FROM assistant_threads WHERE workspace_id = workspace;
END $$;
