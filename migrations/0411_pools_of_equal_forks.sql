-- Whether the sandboxes of a pool have ids of their own, which are those of its snapshot, or the server's.
ALTER TABLE pools ADD COLUMN id_space text COLLATE "C" NOT NULL DEFAULT 'server'
  CONSTRAINT pools_id_space_check CHECK (id_space IN ('server', 'own'));
