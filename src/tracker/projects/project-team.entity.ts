import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A team of a project. */
@Entity('project_teams')
@Index('project_teams_of_team', ['teamId', 'projectId'])
export class ProjectTeam {
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  projectId: string;
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  teamId: string;
}
