import { Controller, Post } from '@nestjs/common';
import type { LoginLink } from '../../contract/session';
import { LoginLinksService } from './login-links.service';

/** Makes login links, for the command line. */
@Controller('api/v1/login-links')
export class LoginLinksController {
  constructor(private readonly links: LoginLinksService) {}

  @Post()
  make(): Promise<LoginLink> {
    return this.links.make();
  }
}
