import { describe, expect, it } from 'vitest';
import { connect } from '../../clients/js/src/testing.js';
import { useApp } from '../support/app.js';

const app = useApp();

// docs/reference/acting.md#verbs
describe('people of the kits in the tracker', () => {
  it('make issues, delegate them, comment, react, and talk to agents', async () => {
    const server = connect({ url: `${app.baseUrl}/`, adminToken: app.settings.adminToken as string });
    const sandbox = await server.createSandbox({
      users: ['alice', 'bob'],
      tracker: {
        teams: [{ key: 'ENG' }],
        apps: [
          {
            name: 'helper',
            redirect_uris: ['https://app.example/'],
            webhook_url: 'http://127.0.0.1:9/',
            webhook_resource_types: ['AgentSessionEvent'],
            installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
          },
        ],
      },
    });
    try {
      const alice = sandbox.as('alice');
      const made = await alice.createIssue('ENG', 'Fix login', { priority: 1 });
      expect(made.result).toMatchObject({ identifier: 'ENG-1' });
      const asked = await alice.updateIssue('ENG-1', { delegate: 'helper', assignee: 'bob' }, { until: 'none' });
      const session = asked.result.session_id as string;
      expect((await alice.promptSession(session, 'please', { until: 'none' })).result.session_id).toBe(session);
      expect((await alice.stopSession(session, { until: 'none' })).result.status).toBe('stopping');
      await expect(alice.selectInSession(session, 'x')).rejects.toMatchObject({ code: 'invalid_option' });
      const comment = (await sandbox.as('bob').comment('ENG-1', 'Hm')).result.id as string;
      await sandbox.as('bob').editComment(comment, 'I see');
      await alice.comment({ issue: 'ENG-1' }, 'Yes', { parent: comment });
      await alice.reactTo({ comment }, 'tada');
      await alice.resolveComment(comment);
      const screen = (await alice.trackerScreen('ENG-1')) as { issue: { comments: object[]; sessions: object[] } };
      expect(screen.issue).toMatchObject({ assignee: 'bob', delegate: 'helper', sessions: [{ id: session }] });
      expect(screen.issue.comments).toContainEqual(
        expect.objectContaining({ id: comment, body: 'I see', resolved: true }),
      );
      await alice.unresolveComment(comment);
      await sandbox.as('bob').removeComment(comment);
      await expect(alice.resolveComment(comment)).rejects.toMatchObject({ code: 'comment_not_found' });
    } finally {
      await sandbox.delete({ force: true });
    }
  });
});
