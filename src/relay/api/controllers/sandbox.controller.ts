import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import * as contract from '../../../contract/sandbox';
import { Access } from '../../access/access.decorator';
import { SandboxControls } from '../../connection/sandbox-controls';
import { Fails, Returns } from '../../http/responses';
import { BodyLimit, FILTER_BYTES } from '../route-decorators';

const NO_SANDBOX = ['no_sandbox', 'sandbox_away'] as const;

/** Controls the sandbox of the demo; not available with a real Co-Pilot. */
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly controls: SandboxControls) {}

  @Get()
  @Access('read')
  @Returns(200, contract.sandbox, 'The state of the demo’s sandbox; 404 outside the demo')
  @Fails(...NO_SANDBOX)
  getSandbox(): Promise<contract.Sandbox> {
    return this.controls.show();
  }

  @Patch('traffic')
  @Access('operate', 'sandbox.traffic')
  @Returns(200, contract.sandbox, 'The sandbox with the new event rate; a burst was sent if requested')
  @Fails(...NO_SANDBOX, 'sandbox_rejected')
  changeSandboxTraffic(
    @Body({ schema: contract.sandboxTrafficChanges }) changes: contract.SandboxTrafficChanges,
  ): Promise<contract.Sandbox> {
    return this.controls.changeTraffic(changes);
  }

  @Patch('faults')
  @Access('operate', 'sandbox.faults')
  @Returns(200, contract.sandbox, 'The sandbox with these faults turned on or off')
  @Fails(...NO_SANDBOX, 'sandbox_rejected')
  changeSandboxFaults(
    @Body({ schema: contract.sandboxFaultChanges }) changes: contract.SandboxFaultChanges,
  ): Promise<contract.Sandbox> {
    return this.controls.changeFaults(changes);
  }

  @Post('events')
  @Access('operate', 'sandbox.event')
  @BodyLimit(FILTER_BYTES)
  @Returns(202, contract.sandboxEmitted, 'The event was created in the sandbox, which is sending it')
  @Fails(...NO_SANDBOX, 'sandbox_rejected')
  emitSandboxEvent(
    @Body({ schema: contract.sandboxEvent }) event: contract.SandboxEvent,
  ): Promise<contract.SandboxEmitted> {
    return this.controls.emit(event);
  }
}
