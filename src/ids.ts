// Ids of requests and batches: hard to guess, and one flat string each. `randomUUID` joins twenty
// pieces, which are kept as a tree for as long as the request, or flattened once more for it.
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const POOLED_IDS = 256;

const pool = Buffer.allocUnsafe(ID_BYTES * POOLED_IDS);
let used = pool.length;

/** 128 random bits, as 32 hexadecimal digits. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}
