/** A product's name, as it says itself: what belongs to it is marked with it in calls, events and deliveries. */
export type Product = string;
