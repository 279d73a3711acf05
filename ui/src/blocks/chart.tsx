import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { Json } from '../api/wire.js';
import { JsonView } from '../kit/json-view.js';
import { labelStep, readChart, slicePath, ticksOf, type ChartData } from './chart-data.js';
import { obj, str } from './surface.js';
import table from './blocks.module.css';
import styles from './data.module.css';

const NAMES = { pie: 'Pie chart', bar: 'Bar chart', line: 'Line chart', area: 'Area chart' } as const;
const HEIGHT = 240;
const PIE = 200;
const LABEL_PX = 64;
const CHARACTER_PX = 6.5;
const DASHES = ['', '6 3', '2 3', '8 3 2 3'];

const figure = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

const cut = (label: string, most: number): string =>
  label.length > most ? `${label.slice(0, Math.max(1, most - 1))}…` : label;

/** A chart as SVG, with a legend, and its figures as a table behind "Show data". */
export function Chart({ block }: { block: Json }): ReactNode {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const title = str(block['title']);
  const chart = readChart(obj(block['chart']) ?? {});
  return (
    <figure ref={frame} className={styles.chart}>
      <figcaption className={styles.chartTitle} dir="auto">
        {title}
      </figcaption>
      {chart === null ? (
        <JsonView value={block} />
      ) : (
        <>
          {chart.type === 'pie' ? (
            <Pie chart={chart} title={title} />
          ) : (
            <Axes chart={chart} title={title} width={width} />
          )}
          <Legend chart={chart} />
          <details className={styles.figures}>
            <summary>Show data</summary>
            <Figures chart={chart} title={title} />
          </details>
        </>
      )}
    </figure>
  );
}

/** The width to draw in: text in a drawing that is scaled would be too small to read. */
function useWidth(frame: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const measure = (): void => setWidth(Math.max(160, current.clientWidth - 24));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

const hue = (index: number): string => styles[`hue${index % 12}`] ?? '';

function Pie({ chart, title }: { chart: ChartData; title: string }): ReactNode {
  const values = chart.series[0]?.values ?? [];
  const all = values.reduce((sum, value) => sum + value, 0) || 1;
  const ends = values.map((_, index) => values.slice(0, index + 1).reduce((sum, value) => sum + value, 0) / all);
  return (
    <svg width={PIE} height={PIE} viewBox="-100 -100 200 200" role="img" aria-label={`${NAMES.pie}: ${title}`}>
      {values.map((value, index) => (
        <path
          key={index}
          className={`${styles.slice} ${hue(index)}`}
          d={slicePath(96, ends[index - 1] ?? 0, ends[index] ?? 1)}
        >
          <title>{`${chart.categories[index]}: ${figure.format(value)}`}</title>
        </path>
      ))}
    </svg>
  );
}

function Axes({ chart, title, width }: { chart: ChartData; title: string; width: number }): ReactNode {
  const ticks = ticksOf(chart.series.flatMap(({ values }) => values));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const left =
    Math.max(...ticks.map((tick) => short.format(tick).length)) * CHARACTER_PX + 12 + (chart.yLabel ? 16 : 0);
  const bottom = HEIGHT - (chart.xLabel ? 40 : 22);
  const band = (width - left) / Math.max(1, chart.categories.length);
  const y = (value: number): number => bottom - ((value - low) / (high - low)) * (bottom - 10);
  const x = (index: number): number => left + (index + 0.5) * band;
  const step = labelStep(chart.categories.length, width - left, LABEL_PX);
  return (
    <svg
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${NAMES[chart.type]}: ${title}`}
    >
      {ticks.map((tick) => (
        <g key={tick} className={styles.tick}>
          <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? styles.zero : undefined} />
          <text x={left - 6} y={y(tick) + 4} textAnchor="end">
            {short.format(tick)}
          </text>
        </g>
      ))}
      {chart.categories.map((category, index) =>
        index % step === 0 ? (
          <text key={index} x={x(index)} y={bottom + 16} textAnchor="middle" className={styles.category}>
            {cut(category, Math.floor((step * band) / CHARACTER_PX))}
          </text>
        ) : null,
      )}
      {chart.xLabel !== '' && (
        <text x={left + (width - left) / 2} y={HEIGHT - 4} textAnchor="middle" className={styles.category}>
          {cut(chart.xLabel, Math.floor((width - left) / CHARACTER_PX))}
        </text>
      )}
      {chart.yLabel !== '' && (
        <text transform={`translate(11 ${bottom / 2}) rotate(-90)`} textAnchor="middle" className={styles.category}>
          {cut(chart.yLabel, Math.floor(bottom / CHARACTER_PX))}
        </text>
      )}
      {chart.type === 'bar' ? <Bars chart={chart} x={x} y={y} band={band} /> : <Lines chart={chart} x={x} y={y} />}
    </svg>
  );
}

interface Scales {
  readonly chart: ChartData;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

function Bars({ chart, x, y, band }: Scales & { readonly band: number }): ReactNode {
  const { series, categories } = chart;
  const width = Math.min(48, (band * 0.8) / Math.max(1, series.length));
  return series.map(({ name, values }, at) => (
    <g key={name} className={hue(at)}>
      {values.map((value, index) => (
        <rect
          key={index}
          className={styles.bar}
          x={x(index) + (at - series.length / 2) * width}
          y={Math.min(y(value), y(0))}
          width={Math.max(1, width - 1)}
          height={Math.abs(y(value) - y(0))}
        >
          <title>{`${name}, ${categories[index]}: ${figure.format(value)}`}</title>
        </rect>
      ))}
    </g>
  ));
}

function Lines({ chart, x, y }: Scales): ReactNode {
  const { series, categories, type } = chart;
  return series.map(({ name, values }, at) => {
    const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    return (
      <g key={name} className={hue(at)}>
        {type === 'area' && (
          <polygon className={styles.area} points={`${x(0)},${y(0)} ${points} ${x(values.length - 1)},${y(0)}`} />
        )}
        <polyline className={styles.line} points={points} strokeDasharray={DASHES[at % DASHES.length]} />
        {values.map((value, index) => (
          <circle key={index} className={styles.dot} cx={x(index)} cy={y(value)} r={3}>
            <title>{`${name}, ${categories[index]}: ${figure.format(value)}`}</title>
          </circle>
        ))}
      </g>
    );
  });
}

/** What each color means; for a pie also its part of the whole. */
function Legend({ chart }: { chart: ChartData }): ReactNode {
  const values = chart.series[0]?.values ?? [];
  const all = values.reduce((sum, value) => sum + value, 0) || 1;
  const names =
    chart.type === 'pie'
      ? chart.categories.map((name, index) => `${name} · ${Math.round(((values[index] ?? 0) / all) * 100)} %`)
      : chart.series.map(({ name }) => name);
  return (
    <ul className={styles.legend} aria-label="Legend">
      {names.map((name, index) => (
        <li key={index}>
          <svg width={12} height={12} className={hue(index)} aria-hidden>
            <rect width={12} height={12} rx={3} className={styles.bar} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

function Figures({ chart, title }: { chart: ChartData; title: string }): ReactNode {
  return (
    <div className={table.tableFrame} tabIndex={0} role="group" aria-label={`Data of ${title}`}>
      <table className={table.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{chart.xLabel || (chart.type === 'pie' ? 'Segment' : 'Category')}</th>
            {chart.series.map(({ name }) => (
              <th key={name} scope="col" data-align="right">
                {name || 'Value'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chart.categories.map((category, index) => (
            <tr key={index}>
              <th scope="row">{category}</th>
              {chart.series.map(({ name, values }) => (
                <td key={name} data-align="right">
                  {figure.format(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
