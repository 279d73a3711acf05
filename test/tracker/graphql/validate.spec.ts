import { describe, expect, it } from 'vitest';
import { validateInput } from '../../../src/tracker/graphql/validate.js';
import { CommentCreateInput, CommentUpdateInput } from '../../../src/tracker/issues/comments/comments.inputs.js';
import {
  IssueBatchCreateInput,
  IssueCreateInput,
  IssueUpdateInput,
} from '../../../src/tracker/issues/issues.inputs.js';
import { IssueLabelCreateInput } from '../../../src/tracker/issues/labels/labels.inputs.js';
import { type ArgumentError, TrackerError } from '../../../src/tracker/values/errors.js';
import { OrganizationUpdateInput } from '../../../src/tracker/organization/organization.inputs.js';
import { UserUpdateInput } from '../../../src/tracker/organization/users/users.inputs.js';
import { ProjectCreateInput, ProjectUpdateInput } from '../../../src/tracker/projects/projects.inputs.js';
import { cycles } from '../../../src/tracker/teams/cycles/cycle.entity.js';
import { WorkflowStateCreateInput } from '../../../src/tracker/teams/states/states.inputs.js';
import { TeamCreateInput, TeamUpdateInput } from '../../../src/tracker/teams/teams.inputs.js';
import { WebhookCreateInput, WebhookUpdateInput } from '../../../src/tracker/webhooks/webhooks.inputs.js';

const NOW = new Date('2026-03-01T00:00:00Z');
const ID = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const OTHER = '0f8a4e0e-2b1c-4d7e-9a55-7a1f5c3d2e10';

type InputClass = new () => object;

function refusal(act: () => unknown): TrackerError {
  try {
    act();
  } catch (error) {
    if (error instanceof TrackerError) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

/** The message for users, and the violated constraint. */
function complaint(type: InputClass, value: object): [string | undefined, string] {
  const error = refusal(() => validateInput(type, value, NOW));
  let at: ArgumentError = error.validationErrors![0]!;
  while (!at.constraints) at = at.children[0]!;
  return [error.presentable, Object.keys(at.constraints)[0]!];
}

const issue = { teamId: ID, title: 'Ship it' };
const comment = { issueId: ID, body: 'Hm.' };
const project = { name: 'Moon', teamIds: [ID] };
const webhook = { url: 'http://localhost:9/x', resourceTypes: ['Issue'] };
const state = { teamId: ID, name: 'QA', type: 'started', color: '#abcdef' };
const cycle = { teamId: ID, startsAt: new Date('2026-01-02'), endsAt: new Date('2026-01-16') };

describe('validateInput', () => {
  it.each<[InputClass, object, string, string]>([
    [IssueCreateInput, { ...issue, teamId: 'ENG' }, 'teamId must be a UUID.', 'isUuid'],
    [IssueCreateInput, { teamId: ID }, 'title should not be empty.', 'isNotEmpty'],
    [IssueCreateInput, { ...issue, title: ' \n ' }, 'title should not be empty.', 'isNotEmpty'],
    [IssueCreateInput, { ...issue, title: null }, 'title should not be empty.', 'isNotEmpty'],
    [
      IssueCreateInput,
      { ...issue, title: 'x'.repeat(513) },
      'title must be shorter than or equal to 512 characters.',
      'maxLength',
    ],
    [
      IssueCreateInput,
      { ...issue, description: 'x'.repeat(250_001) },
      'description must be shorter than or equal to 250000 characters.',
      'maxLength',
    ],
    [IssueCreateInput, { ...issue, priority: 5 }, 'priority must not be greater than 4.', 'max'],
    [IssueCreateInput, { ...issue, priority: -1 }, 'priority must not be less than 0.', 'min'],
    [IssueCreateInput, { ...issue, estimate: -1 }, 'estimate must not be less than 0.', 'min'],
    [IssueCreateInput, { ...issue, id: 'x' }, 'id must be a UUID.', 'isUuid'],
    [IssueCreateInput, { ...issue, id: ID.replace('-4a57', '-1a57') }, 'id must be a UUID.', 'isUuid'],
    [IssueCreateInput, { ...issue, labelIds: [ID, 'bug'] }, 'each value in labelIds must be a UUID.', 'isUuid'],
    [
      IssueCreateInput,
      { ...issue, labelIds: Array.from({ length: 251 }, (_, i) => ID.slice(0, -3) + String(100 + i)) },
      'labelIds must contain no more than 250 elements.',
      'arrayMaxSize',
    ],
    [IssueCreateInput, { ...issue, parentId: 'nowhere' }, 'parentId must be a UUID.', 'isUuid'],
    [
      IssueCreateInput,
      { ...issue, createdAt: new Date('2026-03-01T00:00:01Z') },
      'maximal allowed date for createdAt is 2026-03-01T00:00:00.000Z.',
      'maxDate',
    ],
    [
      IssueCreateInput,
      { ...issue, createdAt: new Date('2026-02-02'), completedAt: new Date('2026-02-01') },
      'minimal allowed date for completedAt is 2026-02-02T00:00:00.000Z.',
      'minDate',
    ],
    [
      IssueCreateInput,
      { ...issue, description: 'a\0b' },
      'description must not contain the character U+0000.',
      'noNullCharacter',
    ],
    [IssueUpdateInput, { title: null }, 'title should not be null or undefined.', 'isDefined'],
    [IssueUpdateInput, { title: '' }, 'title should not be empty.', 'isNotEmpty'],
    [IssueUpdateInput, { stateId: null }, 'stateId should not be null or undefined.', 'isDefined'],
    [IssueUpdateInput, { teamId: null }, 'teamId should not be null or undefined.', 'isDefined'],
    [
      IssueUpdateInput,
      { addedLabelIds: [ID, ID.toUpperCase()] },
      "All addedLabelIds's elements must be unique.",
      'arrayUnique',
    ],
    [CommentCreateInput, { issueId: ID }, 'body should not be empty.', 'isNotEmpty'],
    [
      CommentCreateInput,
      { body: 'x' },
      'Exactly one of issueId, projectId, documentContentId, projectUpdateId, initiativeId or initiativeUpdateId must be defined.',
      'exactlyOne',
    ],
    [
      CommentCreateInput,
      { ...comment, projectId: ID },
      'Exactly one of issueId, projectId, documentContentId, projectUpdateId, initiativeId or initiativeUpdateId must be defined.',
      'exactlyOne',
    ],
    [CommentCreateInput, { ...comment, parentId: 'ENG-1' }, 'parentId must be a UUID.', 'isUuid'],
    [CommentUpdateInput, { body: ' ' }, 'body should not be empty.', 'isNotEmpty'],
    [CommentUpdateInput, { body: null }, 'body should not be null or undefined.', 'isDefined'],
    [IssueLabelCreateInput, { name: ' ' }, 'name should not be empty.', 'isNotEmpty'],
    [
      IssueLabelCreateInput,
      { name: 'Bug', color: 'red' },
      'color must match /^#[0-9a-fA-F]{6}$/ regular expression.',
      'matches',
    ],
    [TeamCreateInput, { name: 'x'.repeat(81) }, 'name must be shorter than or equal to 80 characters.', 'maxLength'],
    [TeamCreateInput, { name: 'T', key: '1A' }, 'key must match /^[A-Z][A-Z0-9]{0,6}$/ regular expression.', 'matches'],
    [TeamCreateInput, { name: 'T', cycleDuration: 9 }, 'cycleDuration must not be greater than 8.', 'max'],
    [TeamCreateInput, { name: 'T', cycleDuration: 0 }, 'cycleDuration must not be less than 1.', 'min'],
    [TeamCreateInput, { name: 'T', cycleStartDay: 1.5 }, 'cycleStartDay must be an integer number.', 'isInt'],
    [
      TeamUpdateInput,
      { issueEstimationType: 'hours' },
      'issueEstimationType must be one of the following values: notUsed, exponential, fibonacci, linear, tShirt.',
      'isIn',
    ],
    [TeamUpdateInput, { color: null }, 'color should not be null or undefined.', 'isDefined'],
    [
      WorkflowStateCreateInput,
      { ...state, type: 'duplicate' },
      'type must be one of the following values: backlog, unstarted, started, completed, canceled.',
      'isIn',
    ],
    [
      cycles.types.CreateInput,
      { ...cycle, endsAt: cycle.startsAt },
      'minimal allowed date for endsAt is 2026-01-02T00:00:00.000Z.',
      'minDate',
    ],
    [cycles.types.UpdateInput, { startsAt: null }, 'startsAt should not be null or undefined.', 'isDefined'],
    [ProjectCreateInput, { ...project, teamIds: [] }, 'teamIds should not be empty.', 'arrayNotEmpty'],
    [
      ProjectCreateInput,
      { ...project, description: 'x'.repeat(256) },
      'description must be shorter than or equal to 255 characters.',
      'maxLength',
    ],
    [
      ProjectCreateInput,
      { ...project, startDate: '2026-02-02', targetDate: '2026-02-01' },
      'minimal allowed date for targetDate is 2026-02-02.',
      'minDate',
    ],
    [ProjectUpdateInput, { statusId: null }, 'statusId should not be null or undefined.', 'isDefined'],
    [
      OrganizationUpdateInput,
      { urlKey: 'Settings' },
      'urlKey should not be one of the following values: api, graphql, socket.io, settings, login, signup.',
      'isNotIn',
    ],
    [OrganizationUpdateInput, { fiscalYearStartMonth: 12 }, 'fiscalYearStartMonth must not be greater than 11.', 'max'],
    [UserUpdateInput, { name: null }, 'name should not be null or undefined.', 'isDefined'],
    [WebhookCreateInput, { ...webhook, url: 'ftp://x' }, 'url must be a URL address.', 'isUrl'],
    [WebhookCreateInput, { ...webhook, url: '/hook' }, 'url must be a URL address.', 'isUrl'],
    [WebhookCreateInput, { ...webhook, resourceTypes: [] }, 'resourceTypes should not be empty.', 'arrayNotEmpty'],
    [
      WebhookCreateInput,
      { ...webhook, secret: '' },
      'secret must be longer than or equal to 1 characters.',
      'minLength',
    ],
    [WebhookUpdateInput, { url: null }, 'url should not be null or undefined.', 'isDefined'],
  ])('%o refuses %j: %s', (type, value, sentence, constraint) => {
    expect(complaint(type, value)).toEqual([sentence, constraint]);
  });

  it('lists the allowed values for a webhook', () => {
    const [sentence] = complaint(WebhookCreateInput, { ...webhook, resourceTypes: ['Issue', 'Team'] });
    expect(sentence).toMatch(
      /^each value in resourceTypes must be one of the following values: AgentSessionEvent, App/,
    );
  });

  it.each<[InputClass, object]>([
    [IssueCreateInput, { ...issue, createdAt: NOW, parentId: 'eng-12', title: '😀'.repeat(512) }],
    [IssueCreateInput, { ...issue, id: ID, labelIds: [], subscriberIds: [OTHER] }],
    [IssueUpdateInput, { description: null, assigneeId: null, dueDate: null, estimate: null, trashed: null }],
    [CommentCreateInput, { projectId: ID, body: 'x' }],
    [CommentCreateInput, { issueId: 'ENG-1', body: 'x' }],
    [TeamUpdateInput, { description: null, icon: null, autoCloseStateId: null, defaultIssueStateId: null }],
    [ProjectUpdateInput, { content: null, leadId: null, startDate: null, targetDate: '2026-01-01' }],
    [cycles.types.UpdateInput, { endsAt: new Date('2020-01-01'), name: null }],
    [OrganizationUpdateInput, { logoUrl: null, urlKey: 'a' }],
    [WebhookCreateInput, { ...webhook, url: 'https://10.0.0.1:8443/p?q', secret: 'x', teamId: 'ENG' }],
    [WorkflowStateCreateInput, state],
    [cycles.types.CreateInput, cycle],
  ])('%o accepts %j', (type, value) => {
    expect({ ...validateInput(type, value, NOW) }).toEqual(value);
  });

  it('treats null as absent in a create, and leaves absent fields absent', () => {
    const input = validateInput(IssueCreateInput, { ...issue, description: null, priority: null, id: null });
    expect({ ...input }).toEqual(issue);
    expect('description' in input).toBe(false);
    expect('dueDate' in validateInput(IssueUpdateInput, {})).toBe(false);
    expect(input).toBeInstanceOf(IssueCreateInput);
  });

  it('keeps null in an update, except for priority, which becomes 0, and label changes, which are ignored', () => {
    const input = validateInput(IssueUpdateInput, { priority: null, dueDate: null, addedLabelIds: null });
    expect({ ...input }).toEqual({ priority: 0, dueDate: null });
  });

  it('converts ids to lower case, drops repeated ones, and normalizes the case of keys', () => {
    const upper = ID.toUpperCase();
    expect({
      ...validateInput(IssueCreateInput, { ...issue, teamId: upper, labelIds: [ID, upper, OTHER], parentId: 'eng-1' }),
    }).toEqual({ ...issue, labelIds: [ID, OTHER], parentId: 'eng-1' });
    expect(validateInput(TeamCreateInput, { name: 'T', key: 'eng' }).key).toBe('ENG');
    expect(validateInput(OrganizationUpdateInput, { urlKey: 'AcMe' }).urlKey).toBe('acme');
  });

  it('nests the errors of an issue in a batch', () => {
    const error = refusal(() =>
      validateInput(
        IssueBatchCreateInput,
        { issues: [issue, { ...issue, title: '' }, { ...issue, title: 'a\0' }] },
        NOW,
      ),
    );
    const empty = {
      property: '1',
      children: [{ property: 'title', children: [], constraints: { isNotEmpty: 'title should not be empty' } }],
    };
    expect(error.validationErrors).toContainEqual({ property: 'issues', children: [empty] });
    expect(JSON.stringify(error.validationErrors)).toContain('U+0000');
    expect(complaint(IssueBatchCreateInput, { issues: [] })[0]).toBe('issues must contain at least 1 elements.');
    expect(complaint(IssueBatchCreateInput, { issues: Array(51).fill(issue) })[0]).toBe(
      'issues must contain no more than 50 elements.',
    );
  });

  it('validates and normalizes each issue of a batch by its own rules', () => {
    const { issues } = validateInput(IssueBatchCreateInput, {
      issues: [{ ...issue, teamId: ID.toUpperCase(), description: null }],
    });
    expect(issues.map((one) => ({ ...one }))).toEqual([issue]);
  });
});
