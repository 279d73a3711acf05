-- Trajectories that are being played: another replica goes on with one whose replica is gone. Who sends the same file again is told
-- what came of it.
CREATE TABLE trajectory_replays (
  id text COLLATE "C" PRIMARY KEY,
  tenant_id bigint NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  -- SHA-256 of what was sent
  digest text COLLATE "C" NOT NULL,
  file text NOT NULL,
  -- whether the first difference ends it
  stops boolean NOT NULL,
  -- who asked for it
  caller jsonb NOT NULL,
  -- null: it is being played
  result jsonb,
  taken_by text COLLATE "C" NOT NULL,
  taken_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX trajectory_replays_sent ON trajectory_replays (tenant_id, digest);
CREATE INDEX trajectory_replays_taken ON trajectory_replays (taken_until);

-- Their calls, each with what came of it; without, it is under way.
CREATE TABLE trajectory_steps (
  replay_id text COLLATE "C" NOT NULL REFERENCES trajectory_replays (id) ON DELETE CASCADE,
  place integer NOT NULL,
  -- of the call
  request_id text COLLATE "C" NOT NULL,
  outcome jsonb,
  PRIMARY KEY (replay_id, place)
);

SELECT sandbox_leave(name, why) FROM (VALUES
  ('trajectory_replays', 'go on while their sandbox is reset'), ('trajectory_steps', 'go with their replay')) l (name, why);
