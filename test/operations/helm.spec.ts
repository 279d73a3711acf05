import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettings, SETTINGS } from '../../src/kernel/config/settings.js';
import { VERSION } from '../../src/kernel/config/version.js';
import { CHART, chartFile, defaultValues, renderChart } from '../support/helm.js';

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
const accepts = new Ajv({ strict: false }).compile(schema);
const database = { databaseUrl: 'postgres://understudy:secret@postgres:5432/understudy' };

describe('the Helm chart', () => {
  it('has the version of the package', () => {
    expect(chartFile('Chart.yaml')).toMatchObject({ version: VERSION, appVersion: VERSION });
  });

  it('accepts its own defaults and refuses values that are misspelt or impossible', () => {
    expect(accepts(defaultValues())).toBe(true);
    expect(accepts({ ...defaultValues(), replicas: 3 })).toBe(false);
    expect(accepts({ ...defaultValues(), replicaCount: 0 })).toBe(false);
    expect(accepts({ ...defaultValues(), databaseUrl: 'mysql://x' })).toBe(false);
    expect(accepts({ ...defaultValues(), credentials: { botToken: 'xoxb-short' } })).toBe(false);
    expect(accepts({ ...defaultValues(), env: { PATH: '/bin' } })).toBe(false);
  });

  it('runs as nobody in particular on a read-only root, and drains in step with the grace period', () => {
    const { Deployment } = renderChart(database);
    const pod = Deployment!['spec'].template.spec;
    const [container] = pod.containers;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(container.image).toBe(`understudy:${VERSION}`);
    expect(container.lifecycle.preStop.exec.command).toEqual(['sleep', '2']);
    const grace = Number(renderChart(database)['ConfigMap']!['data'].SVC_SHUTDOWN_GRACE_SECONDS);
    expect(pod.terminationGracePeriodSeconds).toBe(2 + grace + 5);
    expect(container.readinessProbe.httpGet).toEqual({ path: '/api/health/ready', port: 'api', scheme: 'HTTP' });
    expect(container.livenessProbe.httpGet.path).toBe('/api/health/live');
    expect(Deployment!['spec'].strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  it('hands the server settings that it knows and takes', () => {
    const credentials = {
      adminToken: 'operator-token',
      botToken: `xoxb-000000000000-${'a'.repeat(24)}`,
      apiKey: `svc_api_${'b'.repeat(40)}`,
    };
    const { ConfigMap, Secret } = renderChart({ ...database, credentials, env: { SVC_RATE_LIMIT_MULTIPLIER: 10 } });
    const environment = { ...ConfigMap!['data'], ...Secret!['stringData'] } as Record<string, string>;
    const known = new Set(Object.values(SETTINGS).map(({ env }) => env as string));
    for (const [name, value] of Object.entries(environment)) {
      expect(known, name).toContain(name);
      expect(value, `${name} is text`).toBeTypeOf('string');
    }
    const settings = parseSettings(environment);
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      databaseUrl: database.databaseUrl,
      rateLimitMultiplier: 10,
      metricsPort: 9464,
      publicUrl: 'http://staging.qa.svc:80',
      defaultBotToken: credentials.botToken,
      defaultApiKey: credentials.apiKey,
    });
    expect(Object.keys(ConfigMap!['data'])).not.toContain('DATABASE_URL');
  });

  it('keeps a client at one replica', () => {
    expect(renderChart(database)['Service']!['spec']).toMatchObject({
      sessionAffinity: 'ClientIP',
      selector: { 'app.kubernetes.io/instance': 'staging' },
      ports: [
        { name: 'api', port: 80, targetPort: 'api' },
        { name: 'metrics', port: 9464, targetPort: 'metrics' },
      ],
    });
    const ingress = renderChart({
      ...database,
      ingress: { enabled: true, host: 'fake.example', tlsSecretName: 'cert' },
    });
    expect(ingress['Ingress']!.metadata['annotations']).toMatchObject({
      'nginx.ingress.kubernetes.io/affinity': 'cookie',
    });
    expect(ingress['Ingress']!['spec'].rules[0]).toMatchObject({
      host: 'fake.example',
      http: { paths: [{ path: '/', backend: { service: { name: 'staging', port: { name: 'api' } } } }] },
    });
    expect(renderChart(database)['Ingress']).toBeUndefined();
  });

  it('serves https where a certificate is given', () => {
    const { ConfigMap, Deployment } = renderChart({ ...database, tls: { secretName: 'fake-tls' } });
    expect(ConfigMap!['data']).toMatchObject({
      SVC_TLS_CERT_FILE: '/tls/tls.crt',
      SVC_TLS_KEY_FILE: '/tls/tls.key',
      SVC_PUBLIC_URL: 'https://staging.qa.svc:80',
    });
    const pod = Deployment!['spec'].template.spec;
    expect(pod.containers[0].readinessProbe.httpGet.scheme).toBe('HTTPS');
    expect(pod.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'fake-tls' } });
  });

  it('lets one pod go at a time, and never two processes at one embedded database', () => {
    expect(renderChart(database)['PodDisruptionBudget']!['spec'].maxUnavailable).toBe(1);
    const alone = renderChart({ replicaCount: 1, persistence: { enabled: true } });
    expect(alone['PodDisruptionBudget']).toBeUndefined();
    expect(alone['Deployment']!['spec'].strategy).toEqual({ type: 'Recreate' });
    expect(alone['ConfigMap']!['data'].SVC_DATA_DIR).toBe('/data');
    expect(alone['PersistentVolumeClaim']!['spec'].resources.requests.storage).toBe('2Gi');
    expect(() => renderChart({ replicaCount: 2, persistence: { enabled: true } })).toThrow(/serves one replica/);
  });

  it('takes secrets that are there already', () => {
    const manifests = renderChart({ existingSecret: 'ours', databaseUrlSecret: { name: 'pg', key: 'url' } });
    expect(manifests['Secret']).toBeUndefined();
    const [container] = manifests['Deployment']!['spec'].template.spec.containers;
    expect(container.envFrom).toContainEqual({ secretRef: { name: 'ours' } });
    expect(container.env).toEqual([{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'pg', key: 'url' } } }]);
  });
});
