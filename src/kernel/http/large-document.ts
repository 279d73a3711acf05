/** Documents above this many bytes are not parsed on the main thread. */
export const LARGE_DOCUMENT = 1024 * 1024;

/** An unparsed document: its route parses it in a thread of its own. */
export class LargeDocument {
  constructor(
    readonly bytes: Uint8Array,
    readonly isYaml: boolean,
  ) {}
}
