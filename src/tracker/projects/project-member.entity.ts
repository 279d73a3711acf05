import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A member of a project. */
@Entity('project_members')
@Index('project_members_of_user', ['userId', 'projectId'])
export class ProjectMember {
  @ForeignKey('projects', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  projectId: string;
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  userId: string;
}
