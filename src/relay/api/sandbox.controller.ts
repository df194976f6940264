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
} from '../../contract/sandbox';
import { Access } from '../access/access.decorator';
import { SandboxControls } from '../connection/sandbox-controls';
import { Answers } from '../http/responses';
import { BodyLimit, FILTER_BYTES } from './body-limit.decorator';

/** The demo's sandbox, for who wants to break things and watch; beside a real Co-Pilot there is none. */
@Controller('api/v1/sandbox')
export class SandboxController {
  constructor(private readonly controls: SandboxControls) {}

  @Get()
  @Access('read')
  @Answers(200, sandbox, 'What the demo’s sandbox does; 404 where there is none')
  getSandbox(): Promise<Sandbox> {
    return this.controls.show();
  }

  @Patch('traffic')
  @Access('operate', 'sandbox.traffic')
  @Answers(200, sandbox, 'The sandbox goes on at this rate; a burst has happened')
  changeSandboxTraffic(@Body({ schema: sandboxTraffic }) changes: SandboxTraffic): Promise<Sandbox> {
    return this.controls.changeTraffic(changes);
  }

  @Patch('faults')
  @Access('operate', 'sandbox.faults')
  @Answers(200, sandbox, 'These faults were turned on or off')
  changeSandboxFaults(@Body({ schema: sandboxFaults }) changes: SandboxFaults): Promise<Sandbox> {
    return this.controls.changeFaults(changes);
  }

  @Post('events')
  @Access('operate', 'sandbox.event')
  @HttpCode(202)
  @BodyLimit(FILTER_BYTES)
  @Answers(202, sandboxEmitted, 'The event happened at the sandbox, which is sending it')
  emitSandboxEvent(@Body({ schema: sandboxEvent }) event: SandboxEvent): Promise<SandboxEmitted> {
    return this.controls.emit(event);
  }
}
