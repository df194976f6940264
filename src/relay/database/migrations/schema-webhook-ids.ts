import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether Co-Pilot's API has told the id of a registration, or a notification alone. Which of them it was before was not kept. */
export class WebhookIds1764120000000 implements MigrationInterface {
  name = 'WebhookIds1764120000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN id_confirmed INTEGER NOT NULL DEFAULT 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN id_confirmed');
  }
}
