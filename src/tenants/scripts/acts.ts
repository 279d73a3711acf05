/** What a script can do, with the fields that each act needs and others that it takes; null: any others. */
export const ACTS: Readonly<
  Record<string, { readonly needs: readonly string[]; readonly takes: readonly string[] | null }>
> = {
  message: { needs: ['channel'], takes: null },
  edit: { needs: ['channel', 'ts'], takes: ['text', 'blocks'] },
  delete: { needs: ['channel', 'ts'], takes: [] },
  react: { needs: ['channel', 'ts', 'name'], takes: [] },
  unreact: { needs: ['channel', 'ts', 'name'], takes: [] },
  join: { needs: ['channel'], takes: [] },
  leave: { needs: ['channel'], takes: [] },
  invite: { needs: ['channel', 'users'], takes: [] },
  command: { needs: ['channel', 'command'], takes: ['text', 'thread_ts'] },
  click: { needs: [], takes: null },
  submit: { needs: ['view_id'], takes: ['values'] },
  issue_create: {
    needs: ['team', 'title'],
    takes: 'description state assignee priority estimate due_date labels parent project cycle'.split(' '),
  },
  issue_update: {
    needs: ['issue'],
    takes: 'team title description state assignee priority estimate due_date labels parent project cycle'.split(' '),
  },
  comment: { needs: ['issue', 'body'], takes: [] },
};

/** What sets an entry off. */
export const TRIGGERS = ['message', 'event', 'call', 'issue'] as const;
export type Trigger = (typeof TRIGGERS)[number];
