import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSettings, SETTINGS } from '../../src/kernel/config/settings.js';
import { VERSION } from '../../src/kernel/config/version.js';
import { CHART, chartFile, defaultValues, renderChart, renderNotes } from '../support/helm.js';

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
const accepts = new Ajv({ strict: false }).compile(schema);
const database = { databaseUrl: 'postgres://understudy:secret@postgres:5432/understudy' };

describe('the Helm chart', () => {
  it('has the version of the package', () => {
    expect(chartFile('Chart.yaml')).toMatchObject({ version: VERSION, appVersion: VERSION });
  });

  it('accepts its own defaults and refuses misspelt or impossible values', () => {
    expect(accepts(defaultValues())).toBe(true);
    expect(accepts({ ...defaultValues(), replicas: 3 })).toBe(false);
    expect(accepts({ ...defaultValues(), replicaCount: 0 })).toBe(false);
    expect(accepts({ ...defaultValues(), databaseUrl: 'mysql://x' })).toBe(false);
    expect(accepts({ ...defaultValues(), credentials: { botToken: 'xoxb-short' } })).toBe(false);
    expect(accepts({ ...defaultValues(), env: { PATH: '/bin' } })).toBe(false);
  });

  it('tells after an installation how to reach the server and how to get a sandbox', () => {
    const inside = renderNotes(database);
    expect(inside).toContain('It listens at http://staging.qa.svc:80\n');
    expect(inside).toContain('kubectl --namespace qa port-forward service/staging 3000:80');
    expect(inside).toContain('exec deploy/staging -- node bin/understudy.mjs tokens');
    expect(inside).toContain('set credentials.adminToken');
    const outside = renderNotes({
      ...database,
      publicUrl: 'https://tools.example',
      credentials: { adminToken: 'a-token-of-operators' },
    });
    expect(outside).toContain('It listens at https://tools.example\n');
    expect(outside).toContain('node bin/understudy.mjs sandbox create --env');
    expect(outside).not.toContain('port-forward');
    expect(outside).not.toContain('a-token-of-operators');
  });

  it('runs as an unprivileged user on a read-only root, and drains within the grace period', () => {
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

  it('passes settings that the server knows and accepts', () => {
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

  it('refuses values that would split the data or lose the database', () => {
    expect(() => renderChart({})).toThrow(/replica/);
    expect(() => renderChart({ replicaCount: 1 })).not.toThrow();
    expect(() => renderChart({ ...database, existingSecret: 'mine' })).toThrow(/existingSecret/);
    expect(() => renderChart({ existingSecret: 'mine' })).not.toThrow();
  });

  it('admits callers of the API, and allows connections to DNS, the database and the listed targets', () => {
    const to = [{ namespaceSelector: {} }];
    const policy = renderChart({ ...database, networkPolicy: { egress: [{ to }] } })['NetworkPolicy']!['spec'];
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(policy.ingress[0]).toEqual({ ports: [{ port: 'api' }] });
    expect(policy.ingress[1].from[0].namespaceSelector.matchLabels).toEqual({
      'kubernetes.io/metadata.name': 'monitoring',
    });
    expect(policy.egress.slice(1)).toEqual([{ ports: [{ port: 5432 }] }, { to }]);
    expect(renderChart({ ...database, networkPolicy: { enabled: false } })['NetworkPolicy']).toBeUndefined();
  });

  it('keeps a client on one replica', () => {
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

  it('serves https when a certificate is given', () => {
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

  it('has secure defaults: no sign-up, no app URLs on this server, no token of the cluster', () => {
    const manifests = renderChart(database);
    expect(manifests['ConfigMap']!['data']).toMatchObject({
      SVC_MODE: 'api',
      SVC_METHODS: 'core',
      SVC_SIGNUP: 'closed',
      SVC_TARGETS: 'cluster',
    });
    const pod = manifests['Deployment']!['spec'].template.spec;
    expect(pod).toMatchObject({ serviceAccountName: 'staging', automountServiceAccountToken: false });
    expect(pod.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
    expect(manifests['ServiceAccount']!['automountServiceAccountToken']).toBe(false);
    const named = renderChart({ ...database, serviceAccount: { create: false, name: 'ours' } });
    expect(named['ServiceAccount']).toBeUndefined();
    expect(named['Deployment']!['spec'].template.spec.serviceAccountName).toBe('ours');
  });

  it('enables the web UI and all methods by a value or by a setting', () => {
    const { ConfigMap } = renderChart({ ...database, mode: 'full', methods: 'all', trustedProxies: '10.0.0.0/8' });
    const settings = parseSettings(ConfigMap!['data'] as Record<string, string>);
    expect(settings).toMatchObject({ mode: 'full', methods: 'all', signup: 'closed', targets: 'cluster' });
    expect(ConfigMap!['data'].SVC_TRUSTED_PROXIES).toBe('10.0.0.0/8');
    const named = renderChart({ ...database, env: { SVC_MODE: 'full' } });
    expect(named['ConfigMap']!['data'].SVC_MODE).toBe('full');
  });

  it('creates a key for secrets at rest once, and keeps it over upgrades and removals', () => {
    const first = renderChart(database)['Secret-key']!;
    const key = first['stringData'].SVC_SECRET_KEY as string;
    expect(parseSettings({ SVC_SECRET_KEY: key }).secretKeys).toMatchObject([{ id: 'k1' }]);
    expect(first.metadata['annotations']).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect(renderChart(database)['Secret-key']!['stringData'].SVC_SECRET_KEY).not.toBe(key);
    const there = { 'Secret/staging-key': { data: { SVC_SECRET_KEY: Buffer.from(key).toString('base64') } } };
    expect(renderChart(database, there)['Secret-key']!['stringData'].SVC_SECRET_KEY).toBe(key);
    const given = `mine:${'0a'.repeat(32)}`;
    const own = renderChart({ ...database, credentials: { secretKey: given } }, there);
    expect(own['Secret-key']!['stringData'].SVC_SECRET_KEY).toBe(given);
    // the operator's own Secret may have a key, which takes precedence
    const [container] = renderChart({ existingSecret: 'ours' })['Deployment']!['spec'].template.spec.containers;
    const from = container.envFrom.map((entry: { secretRef?: { name: string } }) => entry.secretRef?.name);
    expect(from).toEqual([undefined, 'staging-key', 'ours']);
  });

  it('runs an image by its digest when one is given', () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    const { Deployment } = renderChart({ ...database, image: { digest } });
    expect(Deployment!['spec'].template.spec.containers[0].image).toBe(`understudy@${digest}`);
    expect(accepts({ ...defaultValues(), image: { repository: 'understudy', digest: 'latest' } })).toBe(false);
  });

  it('spreads over zones and nodes, and scales by load on request', () => {
    const { spec } = renderChart(database)['Deployment']!;
    const keys = spec.template.spec.topologySpreadConstraints.map((one: { topologyKey: string }) => one.topologyKey);
    expect(keys).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
    expect(spec.replicas).toBe(2);
    const scaled = renderChart({ ...database, replicaCount: 1, autoscaling: { enabled: true } });
    expect(scaled['Deployment']!['spec'].replicas).toBeUndefined();
    expect(scaled['PodDisruptionBudget']).toBeDefined();
    expect(scaled['HorizontalPodAutoscaler']!['spec']).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'staging' },
      minReplicas: 2,
      maxReplicas: 6,
    });
    expect(() => renderChart({ replicaCount: 1, autoscaling: { enabled: true } })).toThrow(/replica/);
  });

  it('trusts additional certificates and mounts additional volumes', () => {
    const { Deployment } = renderChart({
      ...database,
      extraCa: { configMapName: 'our-ca' },
      extraVolumes: [{ name: 'seeds', configMap: { name: 'seeds' } }],
      extraVolumeMounts: [{ name: 'seeds', mountPath: '/seeds' }],
    });
    const pod = Deployment!['spec'].template.spec;
    expect(pod.containers[0].env).toEqual([{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' }]);
    const mounts = pod.containers[0].volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounts).toEqual(['tmp', 'ca', 'seeds']);
    expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(mounts);
  });

  it('migrates in a Job beforehand on request', () => {
    const values = { databaseUrlSecret: { name: 'pg' }, migrationJob: { enabled: true } };
    const job = renderChart(values)['Job-migrate']!;
    expect(job.metadata['annotations']).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const { template } = job['spec'];
    expect(template.spec.containers[0].args).toEqual(['bin/understudy.mjs', 'migrate']);
    expect(template.spec.securityContext.runAsUser).toBe(1000);
    // otherwise the Service would send calls to the Job's pod
    const selector = renderChart(database)['Service']!['spec'].selector;
    expect(template.metadata.labels['app.kubernetes.io/name']).not.toBe(selector['app.kubernetes.io/name']);
    expect(() => renderChart({ ...database, migrationJob: { enabled: true } })).toThrow(/databaseUrlSecret/);
  });

  it('replaces one pod at a time, and never runs two processes on one embedded database', () => {
    expect(renderChart(database)['PodDisruptionBudget']!['spec'].maxUnavailable).toBe(1);
    const alone = renderChart({ replicaCount: 1, persistence: { enabled: true } });
    expect(alone['PodDisruptionBudget']).toBeUndefined();
    expect(alone['Deployment']!['spec'].strategy).toEqual({ type: 'Recreate' });
    expect(alone['ConfigMap']!['data'].SVC_DATA_DIR).toBe('/data');
    expect(alone['PersistentVolumeClaim']!['spec'].resources.requests.storage).toBe('2Gi');
    expect(() => renderChart({ replicaCount: 2, persistence: { enabled: true } })).toThrow(/serves one replica/);
  });

  it('uses existing secrets', () => {
    const manifests = renderChart({ existingSecret: 'ours', databaseUrlSecret: { name: 'pg', key: 'url' } });
    expect(manifests['Secret']).toBeUndefined();
    const [container] = manifests['Deployment']!['spec'].template.spec.containers;
    expect(container.envFrom).toContainEqual({ secretRef: { name: 'ours' } });
    expect(container.env).toEqual([{ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'pg', key: 'url' } } }]);
  });
});
