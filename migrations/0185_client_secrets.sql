-- A seed may fix a client secret, which is unique over the server as its tokens are (docs/reference/sandboxes.md#seeds).
CREATE INDEX apps_client_secret ON apps (client_secret_hash);
