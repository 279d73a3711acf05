import { beforeAll, describe, expect, it } from 'vitest';
import { Api } from '../../src/cli/kit/api.js';
import { faultsOf } from '../../src/cli/tasks/check.js';
import { allTasks, taskOf, worldOf, type Task } from '../../src/cli/tasks/task.js';
import { useApp } from '../support/app.js';
import { OPERATOR } from '../support/sandbox-routes.js';

const app = useApp();
const tasks = allTasks();

// docs/EVALUATION.md#reference-tasks
describe('the reference tasks', () => {
  let api: Api;
  beforeAll(async () => {
    api = await Api.connect({ SVC_API_URL: `${app.baseUrl}/api`, SVC_ADMIN_TOKEN: OPERATOR['x-admin-token'] });
  });

  it.each(tasks.map((task) => [task.id, task] as const))(
    '%s: doing nothing fails, its solution passes, what is wrong fails',
    async (id, task) => {
      expect(task.id).toBe(id);
      expect(await faultsOf(api, task)).toEqual([]);
    },
  );

  it('are told what is wrong with them', async () => {
    const sound = taskOf('c01-announce');
    const check = (change: Partial<Task>) => faultsOf(api, { ...sound, ...change });
    expect(await check({ expect: [] })).toContain('doing nothing passes');
    expect(await check({ gold: [] })).toEqual([
      'gold has the score 0.5',
      expect.stringMatching(/^gold: expected 1 message/),
    ]);
    expect(await check({ wrong: sound.gold })).toEqual(['wrong passes']);
    const refused = [{ call: 'chat.postMessage', args: { channel: 'C0NOWHERE00', text: 'a' } }];
    expect(await check({ gold: refused })).toEqual(['gold: step 1 was refused: channel_not_found']);
  });

  it('have a world of five people, six channels with 60 messages in six threads, and two teams of ten issues', () => {
    const world = worldOf(taskOf('c01-announce')) as {
      users: object[];
      channels: { messages: { thread?: string }[] }[];
      tracker: { teams: { issues: object[] }[] };
    };
    const messages = world.channels.flatMap((channel) => channel.messages);
    expect([world.users.length, world.channels.length, messages.length]).toEqual([5, 6, 60]);
    expect(new Set(messages.flatMap(({ thread }) => thread ?? [])).size).toBe(6);
    expect(world.tracker.teams.map(({ issues }) => issues.length)).toEqual([10, 10]);
  });

  it('are found by id, with the nearest one for another', () => {
    expect(() => taskOf('c01-anounce')).toThrow('no task has the id c01-anounce (c01-announce?)');
  });
});
