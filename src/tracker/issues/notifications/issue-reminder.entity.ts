import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Stored } from '../../store/row.js';

/** When a person wants to be reminded of an issue (docs/reference/tracker-notifications.md#reminders). */
@Entity('tracker_issue_reminders')
@Index('tracker_issue_reminders_of_issue', ['issueId', 'userId'], { unique: true })
@Index('tracker_issue_reminders_due', ['remindAt'])
@Index('tracker_issue_reminders_page', ['organizationId'])
export class IssueReminder {
  @PrimaryColumn('uuid') id: string;
  @Stored('uuid') organizationId: string;
  @ForeignKey('issues', { onDelete: 'CASCADE' })
  @Stored('uuid')
  issueId: string;
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @Stored('uuid')
  userId: string;
  @Stored('timestamptz') remindAt: Date;
}
