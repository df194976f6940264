import { Module } from '@nestjs/common';
import { Random } from '../random';
import { loadAdminToken } from '../secrets/secret-files';
import { Sealer } from '../secrets/sealer';
import { Settings } from '../settings/settings';
import { AccessService } from './access.service';
import { AdminToken } from './admin-token';
import { AdmitRequests } from './admit-requests';
import { ChangeRate } from './change-rate';
import { Credentials } from './credentials';
import { LoginAttempts } from './login-attempts';
import { LoginLinksController } from './login-links.controller';
import { LoginLinksService } from './login-links.service';
import { LoginController } from './login.controller';
import { OwnAddress } from './own-address';
import { ProofController } from './proof.controller';
import { SessionCookie } from './session-cookie';
import { SessionController } from './session.controller';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

/** Importing this closes every route of the application that is not marked open. */
@Module({
  controllers: [
    LoginController,
    LoginLinksController,
    ProofController,
    SessionController,
    SessionsController,
    TokensController,
  ],
  providers: [
    {
      provide: AdminToken,
      inject: [Settings, Random, Sealer],
      useFactory: (settings: Settings, random: Random, sealer: Sealer) =>
        new AdminToken(loadAdminToken(settings, random), sealer),
    },
    AccessService,
    AdmitRequests,
    ChangeRate,
    Credentials,
    LoginAttempts,
    LoginLinksService,
    OwnAddress,
    SessionCookie,
    SessionsService,
    TokensService,
  ],
  exports: [AccessService, LoginLinksService, SessionsService],
})
export class AccessModule {}
