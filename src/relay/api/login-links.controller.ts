import { Controller, Post, Req } from '@nestjs/common';
import { loginLink, type LoginLink } from '../../contract/session';
import { Access } from '../access/access.decorator';
import { Returns } from '../http/responses';
import { LoginLinksService } from '../access/login-links.service';
import type { OperatorRequest } from '../access/operator';
import { SessionsService } from '../access/sessions.service';

/** Creates login links for the command line. */
@Controller('api/v1/login-links')
export class LoginLinksController {
  constructor(
    private readonly links: LoginLinksService,
    private readonly sessions: SessionsService,
  ) {}

  @Post()
  @Access('admin', 'login_link.create', { showsSecret: true })
  @Returns(201, loginLink, 'A link that logs in one browser, once')
  createLoginLink(@Req() { operator: { via, credentialId } }: OperatorRequest): Promise<LoginLink> {
    if (credentialId === null) return this.links.create();
    return this.links.create(via === 'session' ? this.sessions.byId(credentialId)?.credential : credentialId);
  }
}
