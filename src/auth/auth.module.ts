import { createSecretKey } from 'node:crypto';
import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';
import { HttpEdges } from '../kernel/http/edges.js';
import { AccessTokens } from './access-tokens.js';
import { AccountProducts } from './account-products.js';
import { Accounts } from './accounts.js';
import { AuthRate } from './auth-rate.js';
import { AuthController } from './auth.controller.js';
import { Passwords } from './passwords.js';
import { SessionUpkeep } from './session-upkeep.js';
import { Sessions } from './sessions.js';
import { SignInLinks } from './sign-in-links.js';
import { SignIn } from './sign-in.service.js';

/** Accounts, passwords, sessions: for both products, independent of either. */
@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [InstanceSecrets],
      useFactory: (secrets: InstanceSecrets) => ({
        // as a KeyObject, or the library would test for each token whether it is a PEM, which takes a millisecond
        secret: createSecretKey(secrets.key('access-tokens')),
        signOptions: { algorithm: 'HS256' as const },
      }),
    }),
  ],
  controllers: [AuthController],
  providers: [
    AccessTokens,
    AccountProducts,
    Accounts,
    AuthRate,
    Passwords,
    Sessions,
    SessionUpkeep,
    SignIn,
    SignInLinks,
  ],
  exports: [AccessTokens, AccountProducts, Accounts, AuthRate, Passwords, Sessions, SignIn, SignInLinks],
})
export class AuthModule {
  constructor(edges: HttpEdges) {
    edges.addSigningIn(/^\/api\/(?:auth\/(?:login|signup|refresh)|ui\/session\/(?:login|signup))$/);
  }
}
