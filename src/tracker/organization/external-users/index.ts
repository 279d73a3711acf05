export * from './external-user.entity.js';
export { ExternalUsersResolver, ExternalUsersService } from './external-users.resolver.js';
