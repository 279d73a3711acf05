/** The store cannot be used: the message is one line that says what to do. The process exits with code 1. */
export class StoreError extends Error {}
