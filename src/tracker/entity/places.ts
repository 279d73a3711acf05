import { In } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { Comment } from '../issues/comments/comment.entity.js';
import { Issue } from '../issues/issue.entity.js';
import { Project } from '../projects/project.entity.js';
import { ProjectTeam } from '../projects/project-team.entity.js';
import type { EntityKey } from '../store/entity-rows.js';
import { Team } from '../teams/team.entity.js';
import { Document } from '../documents/document.entity.js';
import { Cycle } from '../teams/cycles/cycle.entity.js';
import { ProjectUpdate } from '../projects/updates/project-update.entity.js';
import { Release } from '../releases/release.entity.js';
import { ReleasePipeline } from '../releases/pipelines/release-pipeline.entity.js';
import { ReleasePipelineTeam } from '../releases/pipelines/release-pipeline-team.entity.js';
import { Initiative } from '../initiatives/initiative.entity.js';
import { InitiativeUpdate } from '../initiatives/updates/initiative-update.entity.js';
import {
  commentUrl,
  documentUrl,
  initiativeUpdateUrl,
  initiativeUrl,
  issueUrl,
  organizationUrl,
  projectUpdateUrl,
  projectUrl,
  releasePipelineUrl,
  releaseUrl,
  teamUrl,
} from '../values/urls.js';

/** What a thing belongs to, as its events say. */
export interface Place {
  /** Whose members hear of it; none: everybody. */
  readonly teams: readonly Pick<Team, 'id' | 'private'>[];
  /** The address of what it belongs to. */
  readonly url: string;
  /** What it belongs to, as a part of `data`. */
  readonly shown: Readonly<Record<string, unknown>>;
}

type PlaceOf = (tx: Tx, id: string, web: string, urlKey: string) => Promise<Place>;

const ofTeam: PlaceOf = async (tx, id, web, urlKey) => {
  const team = await tx.sql.findOneByOrFail(Team, { id });
  return { teams: [team], url: teamUrl(web, urlKey, team), shown: {} };
};

const ofIssue: PlaceOf = async (tx, id, web, urlKey) => {
  const issue = await tx.sql.findOneByOrFail(Issue, { id });
  const team = await tx.sql.findOneByOrFail(Team, { id: issue.teamId });
  const { identifier, title, teamId } = issue;
  const url = issueUrl(web, urlKey, issue);
  const { id: ownTeam, key, name } = team;
  return {
    teams: [team],
    url,
    shown: { issue: { id, identifier, title, url, teamId, team: { id: ownTeam, key, name } } },
  };
};

const ofProject: PlaceOf = async (tx, id, web, urlKey) => {
  const project = await tx.sql.findOneByOrFail(Project, { id });
  const teamIds = (await tx.sql.findBy(ProjectTeam, { projectId: id })).map(({ teamId }) => teamId);
  const teams = await tx.sql.find(Team, { where: { id: In(teamIds) }, order: { id: 'ASC' } });
  const url = projectUrl(web, urlKey, project);
  return { teams, url, shown: { project: { id, name: project.name, url } } };
};

const ofComment: PlaceOf = async (tx, id, web, urlKey) => {
  const comment = await tx.sql.findOneByOrFail(Comment, { id });
  const { body, issueId, projectId, documentContentId, projectUpdateId, initiativeId, initiativeUpdateId, userId } =
    comment;
  const above =
    issueId !== null
      ? await ofIssue(tx, issueId, web, urlKey)
      : projectId !== null
        ? await ofProject(tx, projectId, web, urlKey)
        : documentContentId !== null
          ? await ofDocument(tx, documentContentId, web, urlKey)
          : projectUpdateId !== null
            ? await ofProjectUpdate(tx, projectUpdateId, web, urlKey)
            : initiativeId !== null
              ? await ofInitiative(tx, initiativeId, web, urlKey)
              : await ofInitiativeUpdate(tx, initiativeUpdateId as string, web, urlKey);
  const owners = { issueId, projectId, documentContentId, projectUpdateId, initiativeId, initiativeUpdateId };
  const shown = { comment: { id, body, ...owners, userId } };
  return { ...above, url: commentUrl(above.url, id), shown };
};

const ofDocument: PlaceOf = async (tx, id, web, urlKey) => {
  const document = await tx.sql.findOneByOrFail(Document, { id });
  const { projectId, initiativeId, issueId, teamId, cycleId, releaseId, title } = document;
  const above: [EntityKey, string | null][] = [
    ['Project', projectId],
    ['Initiative', initiativeId],
    ['Issue', issueId],
    ['Team', teamId],
    ['Cycle', cycleId],
    ['Release', releaseId],
  ];
  const [entity, owner] = above.find(([, one]) => one !== null) as [EntityKey, string];
  const { teams, shown } = await placeOf(tx, { entity, id: owner }, { web, urlKey });
  const { project } = shown;
  const url = documentUrl(web, urlKey, document);
  return {
    teams,
    url,
    shown: {
      documentContent: { project, document: { id, title, projectId, initiativeId, ...(project ? { project } : {}) } },
    },
  };
};

const ofCycle: PlaceOf = async (tx, id, web, urlKey) =>
  ofTeam(tx, (await tx.sql.findOneByOrFail(Cycle, { id })).teamId, web, urlKey);

const ofProjectUpdate: PlaceOf = async (tx, id, web, urlKey) => {
  const { body, projectId, slugId, userId } = await tx.sql.findOneByOrFail(ProjectUpdate, { id });
  const { teams, url, shown } = await ofProject(tx, projectId, web, urlKey);
  return { teams, url: projectUpdateUrl(url, slugId), shown: { projectUpdate: { id, body, userId, ...shown } } };
};

const ofInitiative: PlaceOf = async (tx, id, web, urlKey) => {
  const initiative = await tx.sql.findOneByOrFail(Initiative, { id });
  const url = initiativeUrl(web, urlKey, initiative);
  return { teams: [], url, shown: { initiative: { id, name: initiative.name, url } } };
};

const ofInitiativeUpdate: PlaceOf = async (tx, id, web, urlKey) => {
  const { body, initiativeId, slugId, userId } = await tx.sql.findOneByOrFail(InitiativeUpdate, { id });
  const { teams, url, shown } = await ofInitiative(tx, initiativeId, web, urlKey);
  return { teams, url: initiativeUpdateUrl(url, slugId), shown: { initiativeUpdate: { id, body, userId, ...shown } } };
};

const ofPipeline: PlaceOf = async (tx, id, web, urlKey) => {
  const pipeline = await tx.sql.findOneByOrFail(ReleasePipeline, { id });
  const teamIds = (await tx.sql.findBy(ReleasePipelineTeam, { pipelineId: id })).map(({ teamId }) => teamId);
  const teams = await tx.sql.find(Team, { where: { id: In(teamIds) }, order: { id: 'ASC' } });
  const { name, slugId, type } = pipeline;
  const url = releasePipelineUrl(web, urlKey, pipeline);
  return { teams, url, shown: { pipeline: { id, name, slugId, type, url } } };
};

const ofRelease: PlaceOf = async (tx, id, web, urlKey) => {
  const release = await tx.sql.findOneByOrFail(Release, { id });
  const { teams } = await ofPipeline(tx, release.pipelineId, web, urlKey);
  return { teams, url: releaseUrl(web, urlKey, release), shown: {} };
};

const places: Partial<Record<EntityKey, PlaceOf>> = {
  Team: ofTeam,
  Issue: ofIssue,
  Project: ofProject,
  Comment: ofComment,
  Cycle: ofCycle,
  Document: ofDocument,
  ProjectUpdate: ofProjectUpdate,
  Initiative: ofInitiative,
  InitiativeUpdate: ofInitiativeUpdate,
  ReleasePipeline: ofPipeline,
  Release: ofRelease,
};

/** The place of what belongs to this thing; an organization's without one. */
export async function placeOf(
  tx: Tx,
  owner: { entity: EntityKey; id: string } | undefined,
  { web, urlKey }: { web: string; urlKey: string },
): Promise<Place> {
  const place = owner && places[owner.entity];
  if (!owner) return { teams: [], url: organizationUrl(web, urlKey), shown: {} };
  if (!place) throw new Error(`nothing belongs to a ${owner.entity}`);
  return place(tx, owner.id, web, urlKey);
}
