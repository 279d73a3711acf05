/** What the pages of the benches have to measure with: `bench.now`, `bench.seen` … */
export declare const INSIDE: string;
