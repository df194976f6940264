import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../version';

/** The API described from its own routes and schemas; made when it is first asked for. */
export class OpenApi {
  private app: INestApplication | null = null;
  private made: string | null = null;

  describe(app: INestApplication): void {
    this.app = app;
  }

  get text(): string {
    this.made ??= JSON.stringify(SwaggerModule.createDocument(this.app!, DESCRIPTION));
    return this.made;
  }
}

const DESCRIPTION = new DocumentBuilder()
  .setTitle('Switchboard')
  .setDescription(
    'Stored events, their deliveries, and what they hang on. Errors are RFC 9457 problems with a stable code.',
  )
  .setVersion(VERSION)
  .addBearerAuth()
  .addSecurityRequirements('bearer')
  .build();
