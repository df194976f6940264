import { Module } from '@nestjs/common';
import { Random } from '../ground/random';
import { loadAdminToken } from '../secrets/secret-files';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { AccessService } from './access.service';
import { AdminToken } from './admin-token';
import { AccessHook } from './access.hook';
import { ChangeRateLimit } from './change-rate-limit';
import { Credentials } from './credentials';
import { ForwardedUser } from './forwarded-user';
import { LastUses } from './last-uses';
import { LoginAttempts } from './login-attempts';
import { LoginLinksService } from './login-links.service';
import { AllowedHosts } from './allowed-hosts';
import { MetricsToken } from './metrics-token';
import { SessionCookie } from './session-cookie';
import { SessionsService } from './sessions.service';
import { TokensService } from './tokens.service';

/** Importing this protects every route of the application that is not marked open. */
@Module({
  providers: [
    {
      provide: AdminToken,
      inject: [Settings, Random, Sealer],
      useFactory: (settings: Settings, random: Random, sealer: Sealer) =>
        new AdminToken(loadAdminToken(settings, random), sealer),
    },
    AccessService,
    AccessHook,
    ChangeRateLimit,
    Credentials,
    ForwardedUser,
    LastUses,
    LoginAttempts,
    LoginLinksService,
    AllowedHosts,
    MetricsToken,
    SessionCookie,
    SessionsService,
    TokensService,
  ],
  exports: [
    AccessService,
    AdminToken,
    AllowedHosts,
    Credentials,
    LoginAttempts,
    LoginLinksService,
    MetricsToken,
    SessionCookie,
    SessionsService,
    TokensService,
  ],
})
export class AccessModule {}
