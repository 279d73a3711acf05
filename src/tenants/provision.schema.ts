const names = { type: 'array', items: { type: 'string' } } as const;

/** The body of `POST /api/admin/provision` for `/api/docs`: its most common parts. */
export const PROVISION_BODY = {
  type: 'object',
  additionalProperties: true,
  description:
    'All of it is optional. Whatever else a seed document may hold is taken as well (docs/reference/sandboxes.md#seeds).',
  properties: {
    team: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 255 },
        domain: { type: 'string', maxLength: 21 },
        joinable: { type: 'boolean', default: false },
      },
    },
    admin: {
      type: 'object',
      properties: {
        email: { type: 'string', format: 'email' },
        name: { type: 'string', minLength: 1, maxLength: 80 },
        password: { type: 'string', minLength: 8, maxLength: 72 },
      },
    },
    app: {
      type: 'object',
      properties: { manifest: { type: 'object', additionalProperties: true } },
    },
    users: {
      type: 'array',
      items: {
        oneOf: [
          { type: 'string', description: 'the handle alone' },
          {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', description: 'the handle', maxLength: 80 },
              real_name: { type: 'string', maxLength: 80 },
              email: { type: 'string', format: 'email' },
              password: { type: 'string', minLength: 8, maxLength: 72 },
              is_admin: { type: 'boolean', default: false },
            },
          },
        ],
      },
    },
    channels: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 80 },
          is_private: { type: 'boolean', default: false },
          topic: { type: 'string', maxLength: 250 },
          purpose: { type: 'string', maxLength: 250 },
          members: { ...names, description: 'names or ids of users' },
        },
      },
    },
  },
} as const;
