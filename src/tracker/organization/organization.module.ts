import { Module } from '@nestjs/common';
import { MembershipController } from './membership.controller.js';
import { MembershipService } from './membership.service.js';
import { OrganizationResolver } from './organization.resolver.js';
import { OrganizationService } from './organization.service.js';
import { RateLimitResolver } from './rate-limit.resolver.js';
import { TrackerAccounts } from './tracker-accounts.js';
import { UsersResolver } from './users/users.resolver.js';
import { UsersService } from './users/users.service.js';

/** The organization, its users, and how accounts come into it. */
@Module({
  controllers: [MembershipController],
  providers: [
    MembershipService,
    OrganizationResolver,
    OrganizationService,
    RateLimitResolver,
    TrackerAccounts,
    UsersResolver,
    UsersService,
  ],
})
export class OrganizationModule {}
