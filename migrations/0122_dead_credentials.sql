-- Dead credentials outlive their tenant as hashes alone: what they named is taken out with the tenant's rows.
CREATE INDEX tokens_of_workspace ON tokens (workspace_id);
CREATE INDEX api_keys_of_organization ON api_keys (organization_id);
