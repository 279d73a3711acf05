-- a reset ends the sign-ins of its people on the consent page
CREATE INDEX oauth_browsers_of_account ON oauth_browsers (account_id) WHERE account_id IS NOT NULL;
