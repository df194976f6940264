import { Controller, Post, Req } from '@nestjs/common';
import { loginLink, type LoginLink } from '../../../contract/session';
import { Access } from '../../access/access.decorator';
import { RelayError } from '../../ground/relay-error';
import { Fails, Returns } from '../../http/responses';
import { LoginLinksService } from '../../access/login-links.service';
import type { OperatorRequest } from '../../access/operator';
import { SessionsService } from '../../access/sessions.service';

/** Creates login links for the command line. */
@Controller('api/v1/login-links')
export class LoginLinksController {
  constructor(
    private readonly links: LoginLinksService,
    private readonly sessions: SessionsService,
  ) {}

  /** @throws RelayError `login_link_for_user`, 403: its session would outlive the user's access at the proxy */
  @Post()
  @Access('admin', 'login_link.create', { showsSecret: true })
  @Returns(201, loginLink, 'A link that logs in one browser, once')
  @Fails('login_link_for_user')
  createLoginLink(@Req() { operator: { via, credentialId } }: OperatorRequest): Promise<LoginLink> {
    if (via === 'user') throw noLinkForUser();
    if (credentialId === null) return this.links.create();
    return this.links.create(via === 'session' ? this.sessions.byId(credentialId)?.credential : credentialId);
  }
}

const noLinkForUser = () =>
  new RelayError('login_link_for_user', 403, 'Users sign in at the proxy, not with login links.', {
    remedy:
      'Create the link with the admin token, such as with `switchboard login-link` on the machine of the daemon.',
  });
