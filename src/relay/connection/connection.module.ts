import { Module } from '@nestjs/common';
import { ConnectionService } from './connection.service';
import { OAuthStates } from './oauth-states';
import { AuthorizationFlow } from './authorization-flow';
import { CopilotClient } from './copilot-client';
import { Grants } from './grants';
import { Renewal } from './renewal';
import { SandboxControls } from './sandbox-controls';
import { TokenEndpoint } from './token-endpoint';
import { UpstreamHttp } from './upstream-http';

@Module({
  providers: [
    UpstreamHttp,
    TokenEndpoint,
    Grants,
    OAuthStates,
    AuthorizationFlow,
    Renewal,
    CopilotClient,
    ConnectionService,
    SandboxControls,
  ],
  exports: [ConnectionService, CopilotClient, Grants, SandboxControls],
})
export class ConnectionModule {}
