/** The measuring functions inside the benches' pages: `bench.now`, `bench.seen` … */
export declare const INSIDE: string;
