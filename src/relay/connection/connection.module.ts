import { Module } from '@nestjs/common';
import { ConnectionService } from './connection.service';
import { OAuthStateStore } from './oauth-state.store';
import { AuthorizationFlow } from './authorization-flow';
import { CopilotClient } from './copilot-client';
import { GrantStore } from './grant.store';
import { RenewalWorker } from './renewal.worker';
import { SandboxControls } from './sandbox-controls';
import { TokenEndpoint } from './token-endpoint';
import { UpstreamHttp } from './upstream-http';

@Module({
  providers: [
    UpstreamHttp,
    TokenEndpoint,
    GrantStore,
    OAuthStateStore,
    AuthorizationFlow,
    RenewalWorker,
    CopilotClient,
    ConnectionService,
    SandboxControls,
  ],
  exports: [AuthorizationFlow, ConnectionService, CopilotClient, GrantStore, SandboxControls],
})
export class ConnectionModule {}
