-- What retention asks of every old event: is a delivery of it still to be made?
CREATE INDEX deliveries_of_event ON deliveries (event_id);
