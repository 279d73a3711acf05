// Runs the image as a container of the suite's own. Compiled by the tests of this repository, not run.
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { connect } from 'understudy/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ADMIN_TOKEN = 'a-token-of-this-suite-alone';
let container: StartedTestContainer;

beforeAll(async () => {
  container = await new GenericContainer('ghcr.io/acme/understudy:0.1.0')
    .withEnvironment({ SVC_ADMIN_TOKEN: ADMIN_TOKEN, SVC_DATA_DIR: 'memory' })
    .withExposedPorts(3000)
    // the image's HEALTHCHECK; Wait.forHttp('/api/health', 3000) does as well
    .withWaitStrategy(Wait.forHealthCheck())
    .start();
}, 60_000);

afterAll(() => container.stop());

test('a sandbox of the container', async () => {
  const url = `http://${container.getHost()}:${container.getMappedPort(3000)}`;
  await using sandbox = await connect({ url, adminToken: ADMIN_TOKEN }).createSandbox({ users: ['alice'] });
  await sandbox.as('alice').post('#general', 'hello');
  expect(await sandbox.waitForMessage({ channel: '#general' })).toMatchObject({ text: 'hello' });
});
