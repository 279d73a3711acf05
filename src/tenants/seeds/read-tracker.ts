import { readApplications } from './read-applications.js';
import { readSessions } from './read-sessions.js';
import { listsWithin, readThings } from './read-things.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedComment, SeedIssue, SeedLabel, SeedProject, SeedState, SeedTeam, SeedTracker } from './seed-types.js';

/** How many issues a document may hold. */
export const MAX_ISSUES = 20_000;
const STATE_KINDS = ['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'];
const COLOR = /^#[0-9a-f]{6}$/i;
const NUMBERS = 2_147_483_647;
/** As long as in the API, so that whatever was made there can be made from an export. */
const NAME_MAX = 80;
const ISSUE_TITLE_MAX = 512;
const LONG_TEXT_MAX = 250_000;

/** The tracker's half of a document. */
export function readTracker(value: unknown, read: SeedReader): SeedTracker {
  const tracker =
    value === undefined
      ? {}
      : read.object(value, 'tracker', `teams labels projects webhooks apps guidance${listsWithin(null, read)}`);
  const teams =
    tracker['teams'] === undefined
      ? undefined
      : read.list(tracker['teams'], 'tracker.teams').map((one, i) => readTeam(one, `tracker.teams[${i}]`, read));
  read.unique(teams ?? [], ({ key }) => key, 'key');
  const issues = (teams ?? []).reduce((sum, team) => sum + team.issues.length, 0);
  if (issues > MAX_ISSUES) read.fault('tracker.teams', `must hold at most ${MAX_ISSUES} issues`);
  const labels = readLabels(tracker['labels'], 'tracker.labels', read);
  const projects = read
    .list(tracker['projects'], 'tracker.projects')
    .map((one, i) => readProject(one, `tracker.projects[${i}]`, read));
  read.unique(projects, ({ name }) => name, 'name');
  return {
    guidance: read.text(tracker['guidance'], 'tracker.guidance', LONG_TEXT_MAX),
    teams,
    apps: readApplications(tracker['apps'], read),
    labels,
    projects,
    webhooks: read.list(tracker['webhooks'], 'tracker.webhooks').map((one, i) => {
      const path = `tracker.webhooks[${i}]`;
      const hook = read.object(one, path, 'id url label resource_types team secret ref');
      const resourceTypes = read.texts(hook['resource_types'], `${path}.resource_types`);
      if (resourceTypes.length === 0) read.fault(`${path}.resource_types`, 'must name at least one');
      return {
        id: read.uuid(hook['id'], `${path}.id`),
        url: read.url(hook['url'], `${path}.url`),
        label: read.text(hook['label'], `${path}.label`, NAME_MAX),
        resourceTypes,
        team: read.text(hook['team'], `${path}.team`, 255),
        secret: read.token(hook['secret'], `${path}.secret`, ''),
        ref: read.ref(hook['ref'], `${path}.ref`),
        path,
      };
    }),
    things: readThings(null, tracker, 'tracker', read),
  };
}

function readTeam(value: unknown, path: string, read: SeedReader): SeedTeam {
  const team = read.object(
    value,
    path,
    `id key name description private members guidance labels states issues${listsWithin('Team', read)}`,
  );
  const key = String(team['key'] ?? '').toUpperCase();
  if (!/^[A-Z0-9]{1,7}$/.test(key)) read.fault(`${path}.key`, 'must be 1 to 7 letters or digits');
  const issues = read.list(team['issues'], `${path}.issues`);
  const seed: SeedTeam = {
    id: read.uuid(team['id'], `${path}.id`),
    key,
    name: read.text(team['name'], `${path}.name`, NAME_MAX),
    description: read.text(team['description'], `${path}.description`, LONG_TEXT_MAX),
    isPrivate: read.flag(team['private'], `${path}.private`) ?? false,
    members: read.texts(team['members'], `${path}.members`),
    guidance: read.text(team['guidance'], `${path}.guidance`, LONG_TEXT_MAX),
    labels: readLabels(team['labels'], `${path}.labels`, read),
    states: read.list(team['states'], `${path}.states`).map((one, i) => readState(one, `${path}.states[${i}]`, read)),
    things: readThings('Team', team, path, read),
    issues: issues.map((one, i) => readIssue(one, `${path}.issues[${i}]`, read)),
    path,
  };
  read.unique(seed.issues, ({ number }) => number, 'number');
  read.unique(seed.states, ({ name }) => name.toLowerCase(), 'name');
  return seed;
}

const readColor = (value: unknown, path: string, read: SeedReader): string | undefined => {
  const color = read.text(value, path, 20);
  if (color !== undefined && !COLOR.test(color)) read.fault(path, 'must be a colour such as #5e6ad2');
  return color;
};

function readLabels(value: unknown, path: string, read: SeedReader): SeedLabel[] {
  const labels = read.list(value, path).map((one, i) => {
    const at = `${path}[${i}]`;
    const label = read.object(one, at, 'id name color description');
    return {
      id: read.uuid(label['id'], `${at}.id`),
      name: read.name(label['name'], `${at}.name`, NAME_MAX),
      color: readColor(label['color'], `${at}.color`, read),
      description: read.text(label['description'], `${at}.description`, LONG_TEXT_MAX),
      path: at,
    };
  });
  read.unique(labels, ({ name }) => name.toLowerCase(), 'name');
  return labels;
}

function readState(value: unknown, path: string, read: SeedReader): SeedState {
  const state = read.object(value, path, 'id name type color description');
  const type = read.text(state['type'], `${path}.type`, 20);
  if (type !== undefined && !STATE_KINDS.includes(type)) {
    read.fault(`${path}.type`, `must be one of ${STATE_KINDS.join(', ')}`);
  }
  return {
    id: read.uuid(state['id'], `${path}.id`),
    name: read.name(state['name'], `${path}.name`, NAME_MAX),
    type,
    color: readColor(state['color'], `${path}.color`, read),
    description: read.text(state['description'], `${path}.description`, LONG_TEXT_MAX),
    path,
  };
}

function readIssue(value: unknown, path: string, read: SeedReader): SeedIssue {
  const issue = read.object(
    value,
    path,
    `id title description state assignee as priority estimate due_date labels number parent project cycle at ref comments subscribers archived milestone template delegate sessions${listsWithin('Issue', read)}`,
  );
  return {
    id: read.uuid(issue['id'], `${path}.id`),
    title: read.name(issue['title'], `${path}.title`, ISSUE_TITLE_MAX),
    description: read.text(issue['description'], `${path}.description`, LONG_TEXT_MAX),
    state: read.text(issue['state'], `${path}.state`, 255),
    assignee: read.text(issue['assignee'], `${path}.assignee`, 255),
    as: read.text(issue['as'], `${path}.as`, 255),
    priority: read.whole(issue['priority'], `${path}.priority`, 0, 4) ?? 0,
    estimate: read.whole(issue['estimate'], `${path}.estimate`, 0, NUMBERS),
    dueDate: read.day(issue['due_date'], `${path}.due_date`),
    labels: read.texts(issue['labels'], `${path}.labels`),
    number: read.whole(issue['number'], `${path}.number`, 1, NUMBERS),
    parent: read.text(issue['parent'], `${path}.parent`, 255),
    project: read.text(issue['project'], `${path}.project`, 255),
    cycle: read.whole(issue['cycle'], `${path}.cycle`, 1, NUMBERS),
    at: read.at(issue['at'], `${path}.at`),
    ref: read.ref(issue['ref'], `${path}.ref`),
    comments: readComments(issue['comments'], `${path}.comments`, read),
    subscribers: read.texts(issue['subscribers'], `${path}.subscribers`),
    milestone: read.text(issue['milestone'], `${path}.milestone`, 255),
    template: read.text(issue['template'], `${path}.template`, 255),
    delegate: read.text(issue['delegate'], `${path}.delegate`, 255),
    sessions: readSessions(issue['sessions'], `${path}.sessions`, read),
    isArchived: read.flag(issue['archived'], `${path}.archived`) ?? false,
    things: readThings('Issue', issue, path, read),
    path,
  };
}

function readComments(value: unknown, path: string, read: SeedReader, isReply = false): SeedComment[] {
  return read.list(value, path).map((one, i) => {
    const at = `${path}[${i}]`;
    const own = isReply ? 'id as body at' : 'id as body at resolved replies';
    const comment = read.object(one, at, `${own}${listsWithin('Comment', read)}`);
    return {
      id: read.uuid(comment['id'], `${at}.id`),
      as: read.name(comment['as'], `${at}.as`),
      body: read.name(comment['body'], `${at}.body`, LONG_TEXT_MAX),
      at: read.at(comment['at'], `${at}.at`),
      resolved: read.text(comment['resolved'], `${at}.resolved`, 255),
      replies: isReply ? [] : readComments(comment['replies'], `${at}.replies`, read, true),
      things: readThings('Comment', comment, at, read),
      path: at,
    };
  });
}

function readProject(value: unknown, path: string, read: SeedReader): SeedProject {
  const project = read.object(
    value,
    path,
    `id name description content teams members labels lead status priority start_date target_date${listsWithin('Project', read)}`,
  );
  const teams = read.texts(project['teams'], `${path}.teams`);
  if (teams.length === 0) read.fault(`${path}.teams`, 'must name at least one team');
  return {
    id: read.uuid(project['id'], `${path}.id`),
    name: read.name(project['name'], `${path}.name`, NAME_MAX),
    description: read.text(project['description'], `${path}.description`, 255),
    content: read.text(project['content'], `${path}.content`, LONG_TEXT_MAX),
    teams,
    members: read.texts(project['members'], `${path}.members`),
    labels: read.texts(project['labels'], `${path}.labels`),
    lead: read.text(project['lead'], `${path}.lead`, 255),
    status: read.text(project['status'], `${path}.status`, 255),
    priority: read.whole(project['priority'], `${path}.priority`, 0, 4) ?? 0,
    startDate: read.day(project['start_date'], `${path}.start_date`),
    targetDate: read.day(project['target_date'], `${path}.target_date`),
    things: readThings('Project', project, path, read),
    path,
  };
}
