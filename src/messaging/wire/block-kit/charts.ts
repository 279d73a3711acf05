import { isJsonObject } from '../text.js';
import { type Condition, fields, list, number, positive, required, type Rule, str, typed } from './rule.js';

const label = required(str(20));
const MOST_LABELS = 20;
const MOST_SERIES = 12;

/** The labels of each series are the categories, each once. */
const labelsAreCategories: Condition = (chart, at, walk) => {
  const axis = chart['axis_config'];
  const categories = isJsonObject(axis) && Array.isArray(axis['categories']) ? axis['categories'] : [];
  const wanted = categories.toSorted().join('\n');
  const names = new Set<unknown>();
  const series = Array.isArray(chart['series']) ? chart['series'] : [];
  for (const [index, one] of series.entries()) {
    if (!isJsonObject(one)) continue;
    if (names.has(one['name'])) walk.fault('name must be unique', `${at}/series/${index}/name`);
    names.add(one['name']);
    const points: unknown[] = Array.isArray(one['data']) ? one['data'] : [];
    const labels = points.map((point) => (isJsonObject(point) ? point['label'] : undefined));
    if (labels.toSorted().join('\n') !== wanted) {
      walk.fault('must have each of the categories once', `${at}/series/${index}/data`);
    }
  }
};

const xy = fields(
  {
    axis_config: required(
      fields({ categories: required(list(str(20), 1, MOST_LABELS)), x_label: str(50), y_label: str(50) }),
    ),
    series: required(
      list(fields({ name: label, data: required(list(fields({ label, value: required(number) }))) }), 1, MOST_SERIES),
    ),
  },
  labelsAreCategories,
);

const CHARTS: Readonly<Record<string, Rule>> = {
  pie: fields({ segments: required(list(fields({ label, value: required(positive) }), 1, MOST_SERIES)) }),
  bar: xy,
  line: xy,
  area: xy,
};

/** The `chart` of a `data_visualization`. */
export const chart: Rule = typed(() => CHARTS);
