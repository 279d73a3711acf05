-- What an organization has goes with it.
ALTER TABLE initiatives ADD CONSTRAINT initiatives_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE;

-- The stages of customers: every organization begins with three.
CREATE TABLE customer_statuses (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  display_name text NOT NULL,
  description text,
  color text NOT NULL,
  type text,
  position double precision NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX customer_statuses_page ON customer_statuses (organization_id, created_at, id);

SELECT sandbox_track('customer_statuses', 'organization', ARRAY['id']);

INSERT INTO customer_statuses (id, organization_id, name, display_name, color, type, position)
SELECT gen_random_uuid(), o.id, s.name, s.name, s.color, s.type, s.n - 1 FROM organizations o
CROSS JOIN unnest(ARRAY['Active', 'Prospect', 'Churned'], ARRAY['#4cb782', '#5e6ad2', '#95a2b3'], ARRAY['active', 'active', 'inactive'])
  WITH ORDINALITY AS s (name, color, type, n);

-- What customers pay for.
CREATE TABLE customer_tiers (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  display_name text NOT NULL,
  description text,
  color text NOT NULL,
  position double precision NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX customer_tiers_page ON customer_tiers (organization_id, created_at, id);

SELECT sandbox_track('customer_tiers', 'organization', ARRAY['id']);

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  slug_id text NOT NULL,
  domains text[] NOT NULL DEFAULT '{}',
  external_ids text[] NOT NULL DEFAULT '{}',
  logo_url text,
  main_source_id text,
  owner_id uuid,
  revenue integer,
  size double precision,
  status_id uuid NOT NULL REFERENCES customer_statuses (id) ON DELETE CASCADE,
  tier_id uuid REFERENCES customer_tiers (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX customers_page ON customers (organization_id, created_at, id);
CREATE UNIQUE INDEX customers_slug ON customers (organization_id, slug_id);
CREATE INDEX customers_of_status ON customers (status_id);
CREATE INDEX customers_of_tier ON customers (tier_id) WHERE tier_id IS NOT NULL;

SELECT sandbox_track('customers', 'organization', ARRAY['id']);

-- What customers ask for.
CREATE TABLE customer_needs (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  customer_id uuid REFERENCES customers (id) ON DELETE CASCADE,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  original_issue_id uuid REFERENCES issues (id) ON DELETE SET NULL,
  attachment_id uuid REFERENCES attachments (id) ON DELETE SET NULL,
  comment_id uuid REFERENCES comments (id) ON DELETE SET NULL,
  body text,
  priority double precision NOT NULL DEFAULT 0,
  creator_id uuid,
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX customer_needs_page ON customer_needs (organization_id, created_at, id);
CREATE INDEX customer_needs_of_customer ON customer_needs (customer_id, created_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX customer_needs_of_issue ON customer_needs (issue_id, created_at, id) WHERE issue_id IS NOT NULL;
CREATE INDEX customer_needs_of_project ON customer_needs (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX customer_needs_of_original ON customer_needs (original_issue_id) WHERE original_issue_id IS NOT NULL;
CREATE INDEX customer_needs_of_attachment ON customer_needs (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE INDEX customer_needs_of_comment ON customer_needs (comment_id) WHERE comment_id IS NOT NULL;

SELECT sandbox_track('customer_needs', 'organization', ARRAY['id']);
