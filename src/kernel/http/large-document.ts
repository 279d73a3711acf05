/** Bytes above which a document is not parsed where all calls are answered. */
export const LARGE_DOCUMENT = 1024 * 1024;

/** A document as it came: whoever takes it has it read in a thread of its own. */
export class LargeDocument {
  constructor(
    readonly bytes: Uint8Array,
    readonly isYaml: boolean,
  ) {}
}
