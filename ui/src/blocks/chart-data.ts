import type { Json } from '../api/wire.js';
import { list, obj, str } from './surface.js';

/** A chart's figures, whatever its type: a pie is one series without a name. */
export interface ChartData {
  readonly type: 'pie' | 'bar' | 'line' | 'area';
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly xLabel: string;
  readonly yLabel: string;
}

const TYPES = new Set(['pie', 'bar', 'line', 'area']);

/** Reads the `chart` of a block; null for a type that this page does not know. */
export function readChart(chart: Json): ChartData | null {
  const type = str(chart['type']);
  if (!TYPES.has(type)) return null;
  if (type === 'pie') {
    const segments = list(chart['segments']);
    const values = segments.map((segment) => Number(segment['value']) || 0);
    const categories = segments.map((segment) => str(segment['label']));
    return { type, categories, series: [{ name: '', values }], xLabel: '', yLabel: '' };
  }
  const axis = obj(chart['axis_config']) ?? {};
  const categories = (Array.isArray(axis['categories']) ? axis['categories'] : []).map(String);
  const series = list(chart['series']).map((one) => {
    const byLabel = new Map(list(one['data']).map((point) => [str(point['label']), Number(point['value']) || 0]));
    return { name: str(one['name']), values: categories.map((category) => byLabel.get(category) ?? 0) };
  });
  return {
    type: type as ChartData['type'],
    categories,
    series,
    xLabel: str(axis['x_label']),
    yLabel: str(axis['y_label']),
  };
}

/** Round values from the least to the greatest, zero among them: about as many as asked for. */
export function ticksOf(values: readonly number[], wanted = 5): number[] {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const raw = (high - low || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10) * power;
  const [from, to] = [Math.floor(low / step), Math.max(1, Math.ceil(high / step))];
  return Array.from({ length: to - from + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)));
}

const point = (radius: number, turn: number): string =>
  `${(radius * Math.sin(turn)).toFixed(2)},${(-radius * Math.cos(turn)).toFixed(2)}`;

/** The SVG path of a slice around the origin, between two parts of the whole (0 to 1). */
export function slicePath(radius: number, from: number, to: number): string {
  if (to - from >= 0.9999) {
    return `M0,${-radius} A${radius},${radius} 0 1 1 0,${radius} A${radius},${radius} 0 1 1 0,${-radius} Z`;
  }
  const [start, end] = [from * 2 * Math.PI, to * 2 * Math.PI];
  const isLarge = to - from > 0.5 ? 1 : 0;
  return `M0,0 L${point(radius, start)} A${radius},${radius} 0 ${isLarge} 1 ${point(radius, end)} Z`;
}

/** Every how many categories one is named, so that names do not run into each other. */
export const labelStep = (count: number, width: number, labelWidth: number): number =>
  Math.max(1, Math.ceil((count * labelWidth) / Math.max(1, width)));
