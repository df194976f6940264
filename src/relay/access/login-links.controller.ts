import { Controller, Post } from '@nestjs/common';
import { loginLink, type LoginLink } from '../../contract/session';
import { Answers } from '../api/answers';
import { LoginLinksService } from './login-links.service';

/** Makes login links, for the command line. */
@Controller('api/v1/login-links')
export class LoginLinksController {
  constructor(private readonly links: LoginLinksService) {}

  @Post()
  @Answers(201, loginLink, 'A link that logs a browser in, once')
  createLoginLink(): Promise<LoginLink> {
    return this.links.make();
  }
}
