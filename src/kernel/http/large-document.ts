/** Documents above this many bytes are not parsed on the main thread: a parser of YAML takes a hundred times as long. */
const LARGE_JSON = 64 * 1024;
const LARGE_YAML = 4 * 1024;

export const isLargeDocument = (bytes: number, isYaml: boolean): boolean => bytes > (isYaml ? LARGE_YAML : LARGE_JSON);

/** An unparsed document: its route parses it in a thread of its own. */
export class LargeDocument {
  constructor(
    readonly bytes: Uint8Array,
    readonly isYaml: boolean,
  ) {}
}
