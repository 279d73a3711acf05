-- reactions.list
CREATE INDEX reactions_of_user ON reactions (user_id, ts, conversation_id);
