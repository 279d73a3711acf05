/** The store cannot be used: the message is one line that says what to do. The process ends with code 1. */
export class StoreError extends Error {}
