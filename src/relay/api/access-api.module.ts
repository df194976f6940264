import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { HealthModule } from '../diagnostics/health.module';
import { HubHealthModule } from '../diagnostics/hub-health/hub-health.module';
import { HealthController } from './health.controller';
import { LoginController } from './login.controller';
import { LoginLinksController } from './login-links.controller';
import { ProofController } from './proof.controller';
import { SessionController } from './session.controller';
import { SessionsController } from './sessions.controller';
import { TokensController } from './tokens.controller';

/** The routes for logging in, managing access and checking the daemon's health. */
@Module({
  imports: [AccessModule, HealthModule, HubHealthModule],
  controllers: [
    HealthController,
    LoginController,
    LoginLinksController,
    ProofController,
    SessionController,
    SessionsController,
    TokensController,
  ],
})
export class AccessApiModule {}
