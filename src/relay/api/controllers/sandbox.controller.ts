import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import {
  sandbox,
  sandboxEmitted,
  sandboxEvent,
  sandboxFaults,
  sandboxTraffic,
  type Sandbox,
  type SandboxEmitted,
  type SandboxEvent,
  type SandboxFaults,
  type SandboxTraffic,
} from '../../../contract/sandbox';
import { Access } from '../../access/access.decorator';
import { SandboxControls } from '../../connection/sandbox-controls';
import { Returns } from '../../http/responses';
import { BodyLimit, FILTER_BYTES } from '../decorators/body-limit.decorator';

/** Controls the sandbox of the demo; not available with a real Co-Pilot. */
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly controls: SandboxControls) {}

  @Get()
  @Access('read')
  @Returns(200, sandbox, 'The state of the demo’s sandbox; 404 outside the demo')
  getSandbox(): Promise<Sandbox> {
    return this.controls.show();
  }

  @Patch('traffic')
  @Access('operate', 'sandbox.traffic')
  @Returns(200, sandbox, 'The sandbox with the new event rate; a burst was sent if requested')
  changeSandboxTraffic(@Body({ schema: sandboxTraffic }) changes: SandboxTraffic): Promise<Sandbox> {
    return this.controls.changeTraffic(changes);
  }

  @Patch('faults')
  @Access('operate', 'sandbox.faults')
  @Returns(200, sandbox, 'The sandbox with these faults turned on or off')
  changeSandboxFaults(@Body({ schema: sandboxFaults }) changes: SandboxFaults): Promise<Sandbox> {
    return this.controls.changeFaults(changes);
  }

  @Post('events')
  @Access('operate', 'sandbox.event')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Returns(202, sandboxEmitted, 'The event was created in the sandbox, which is sending it')
  emitSandboxEvent(@Body({ schema: sandboxEvent }) event: SandboxEvent): Promise<SandboxEmitted> {
    return this.controls.emit(event);
  }
}
