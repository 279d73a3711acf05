import type { ToolSet } from '../../kernel/mcp/tool-set.js';
import { getIssue, listIssues, listProjects, listTeams } from './reading-tools.js';
import { TrackerApi } from './tracker-api.js';
import { createComment, createIssue, updateIssue } from './writing-tools.js';

/** The tools of docs/reference/mcp.md#issue-tools. */
export const issueTools: ToolSet<TrackerApi> = {
  name: 'understudy-issues',
  title: 'Understudy issues',
  instructions:
    "Tools for the issues of one organization; they act as the owner of the API key. Wherever an id is wanted, names do as well: ENG-12, a team's key, the name of a state, label or project, a person's e-mail. list_teams shows teams and their states. Where a tool is refused, the text says why, with the code of the refusal in brackets.",
  tools: [listTeams, listIssues, getIssue, createIssue, updateIssue, createComment, listProjects],
  connect: (client, credential) => new TrackerApi(client, credential),
  check: async (api) => {
    await api.run('{ viewer { id } }');
  },
};
