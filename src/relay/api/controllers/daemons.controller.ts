import { Controller, Get } from '@nestjs/common';
import { daemons as daemonList, type DaemonList } from '../../../contract/daemon';
import { Access } from '../../access/access.decorator';
import { Daemons } from '../../ground/daemons';
import { Returns } from '../../http/responses';
import { TargetsService } from '../../targets/targets.service';

@Controller('api/v1/daemons')
export class DaemonsController {
  constructor(
    private readonly daemons: Daemons,
    private readonly targets: TargetsService,
  ) {}

  @Get()
  @Access('read')
  @Returns(200, daemonList, 'The daemons that use the database, the one running longest first')
  async listDaemons(): Promise<DaemonList> {
    const found = await this.daemons.list();
    return found.map(({ id, address, version, aliveUntil, isAlive, isLeader, targets }) => {
      const owned = this.targets.all().filter(({ number }) => targets?.includes(number) ?? true);
      return {
        id,
        address,
        version,
        alive_until: new Date(aliveUntil).toISOString(),
        alive: isAlive,
        leader: isLeader,
        targets: owned.length,
        target_ids: owned.map((target) => target.id),
      };
    });
  }
}
