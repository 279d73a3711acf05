import { progressBy } from '../query/progress.js';

export const progressOfProject = progressBy('tracker_progress_of_projects', 'project_id');
