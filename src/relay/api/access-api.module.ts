import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { HealthModule } from '../diagnostics/health.module';
import { HubHealthModule } from '../diagnostics/hub-health/hub-health.module';
import { HealthController } from './controllers/health.controller';
import { LoginController } from './controllers/login.controller';
import { LoginLinksController } from './controllers/login-links.controller';
import { ProofController } from './controllers/proof.controller';
import { SessionController } from './controllers/session.controller';
import { SessionsController } from './controllers/sessions.controller';
import { TokensController } from './controllers/tokens.controller';

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
