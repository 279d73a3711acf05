-- The last characters of a token, stored beside its hash so that people can tell tokens apart; none for those of before.
ALTER TABLE tokens ADD COLUMN hint text;

-- When a token was last used, to about a quarter of a minute, for thirty days. Apart from the tokens and without a reference
-- to them: noting a use changes no token and waits for nobody who does.
CREATE TABLE token_uses (
  hash text COLLATE "C" PRIMARY KEY,
  used_at timestamptz NOT NULL
);
CREATE INDEX token_uses_by_age ON token_uses (used_at);

SELECT sandbox_leave('token_uses', 'what was used stays used');
