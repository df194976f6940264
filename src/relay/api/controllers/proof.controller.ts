import { Controller, Get, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Undocumented } from '../../http/responses';
import { PROOF_PATH, proofOf } from '../../access/daemon-proof';
import { ForwardedPeers, type LeaderAnswer } from '../../secrets/forwarded-peers';
import { Random } from '../../ground/random';
import { Open } from '../../access/access.decorator';

const SECRET_BYTES = 32;
const proofQuery = z.object({ nonce: z.string().regex(/^[0-9a-f]{64}$/) });

/** Proves to the command line that this daemon runs on its `DATA_DIR`, and to the other daemons that it leads. */
@Undocumented()
@Controller(PROOF_PATH)
export class ProofController {
  /** Written to the address file. */
  readonly secret: string;

  constructor(
    private readonly peers: ForwardedPeers,
    random: Random,
  ) {
    this.secret = random.bytes(SECRET_BYTES).toString('base64url');
  }

  @Open()
  @Get()
  prove(
    @Query({ schema: proofQuery }) { nonce }: z.infer<typeof proofQuery>,
    @Req() { raw }: FastifyRequest,
  ): { proof: string } & Partial<LeaderAnswer> {
    return { proof: proofOf(this.secret, nonce), ...this.peers.answer(nonce, raw.socket) };
  }
}
