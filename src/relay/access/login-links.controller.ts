import { Controller, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { loginLink, type LoginLink } from '../../contract/session';
import { LoginLinksService } from './login-links.service';

/** Makes login links, for the command line. */
@Controller('api/v1/login-links')
export class LoginLinksController {
  constructor(private readonly links: LoginLinksService) {}

  @Post()
  @ApiResponse({ status: 201, description: 'A link that logs a browser in, once', standardSchema: loginLink })
  make(): Promise<LoginLink> {
    return this.links.make();
  }
}
