import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Metrics } from '../../src/kernel/metrics/metrics.js';
import { TestApp } from '../support/app.js';
import { CHART, renderChart } from '../support/helm.js';
import { CHECKOUT } from '../support/image.js';

const read = (path: string): string => readFileSync(join(CHART, path), 'utf8');
const database = { databaseUrl: 'postgres://understudy:secret@postgres:5432/understudy' };

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}
interface Panel {
  title: string;
  gridPos: { x: number; y: number };
  targets: { expr: string }[];
}

const alerts = (parse(read('files/alerts.yaml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const dashboard = JSON.parse(read('files/dashboard.json')) as { uid: string; panels: Panel[] };

/** The name of a metric without the suffix of a histogram's series. */
const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

/** The names of the metrics in an expression. */
const metricsIn = (expr: string): string[] =>
  Array.from(expr.matchAll(/\b(?:understudy|nodejs|process)_\w+/g), ([name]) => name);

describe('alerts and dashboard', () => {
  let shown: Set<string>;

  beforeAll(async () => {
    const app = await TestApp.start({ SVC_METRICS_PORT: '0' });
    try {
      const text = await (await fetch(`http://127.0.0.1:${app.nest.get(Metrics).port}/metrics`)).text();
      shown = new Set(Array.from(text.matchAll(/^# TYPE (\S+) /gm), ([, name]) => name as string));
    } finally {
      await app.stop();
    }
  });

  const isShown = (name: string): boolean => shown.has(name) || shown.has(base(name));

  it('use only metrics that the server has', () => {
    const asked = [...alerts, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    for (const expr of asked) {
      const names = metricsIn(expr);
      expect(names.length, expr).toBeGreaterThan(0);
      expect(
        names.filter((name) => !isShown(name)),
        expr,
      ).toEqual([]);
    }
  });

  it('have a panel for each metric of the server', () => {
    const asked = new Set(dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    const ours = [...shown].filter((name) => name.startsWith('understudy_'));
    expect(ours.filter((name) => !new Set([...asked].map(base)).has(name))).toEqual([]);
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(dashboard.panels.length);
  });

  it('are documented for operators, with each metric', () => {
    const document = readFileSync(join(CHECKOUT, 'docs', 'OPERATIONS.md'), 'utf8');
    for (const name of [...shown].filter((each) => each.startsWith('understudy_'))) expect(document).toContain(name);
  });

  it('state in each alert what happened and its severity', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { labels, annotations } of alerts) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
    }
  });

  it('are part of the chart on request', () => {
    const quiet = renderChart(database);
    for (const kind of ['ServiceMonitor', 'PrometheusRule', 'ConfigMap-dashboard']) expect(quiet[kind]).toBeUndefined();
    const labels = { release: 'prometheus' };
    const manifests = renderChart({
      ...database,
      credentials: { metricsToken: 'a-metrics-token' },
      metrics: {
        serviceMonitor: { enabled: true, labels },
        rules: { enabled: true, labels },
        dashboard: { enabled: true },
      },
    });
    const monitor = manifests['ServiceMonitor']!;
    expect(monitor.metadata['labels']).toMatchObject(labels);
    expect(manifests['Service']!.metadata['labels']).toMatchObject(monitor['spec'].selector.matchLabels);
    const [endpoint] = monitor['spec'].endpoints;
    expect(manifests['Service']!['spec'].ports).toContainEqual(expect.objectContaining({ name: endpoint.port }));
    const { name, key } = endpoint.authorization.credentials as { name: string; key: string };
    expect(manifests['Secret']).toMatchObject({ metadata: { name }, stringData: { [key]: 'a-metrics-token' } });
    expect(manifests['PrometheusRule']!['spec'].groups[0].rules).toEqual(alerts);
    const board = manifests['ConfigMap-dashboard']!;
    expect(board.metadata['labels']).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(board['data']['understudy.json'])).toEqual(dashboard);
  });
});
