import { StoreError } from '../store-error.js';

/** The embedded database cannot start or has died. The message is one line that says what to do. */
export class EmbeddedError extends StoreError {
  override readonly name = 'EmbeddedError';
}
