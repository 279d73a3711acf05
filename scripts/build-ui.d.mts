/** @throws when a part is over its size limit */
export function checkBounds(folder: string): { script: number; style: number };
/** Bytes that each section loads beyond the first page, by its source. */
export function sectionWeights(folder: string): Record<string, number>;
