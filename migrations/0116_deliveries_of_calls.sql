-- Commands and interactions stand among the deliveries of a sandbox, though no event caused them and no queue held them.
ALTER TABLE delivery_history ALTER COLUMN event_id DROP NOT NULL;
-- where it went, as far as that may be shown
ALTER TABLE delivery_history ADD COLUMN url text;
