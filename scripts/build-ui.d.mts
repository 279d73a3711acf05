/** @throws where a part weighs more than it may */
export function checkBounds(folder: string): { script: number; style: number };
/** Bytes that each section loads besides the first page, by its source. */
export function sectionWeights(folder: string): Record<string, number>;
