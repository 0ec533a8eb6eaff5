// Only reads, and slowly: worth a cache. Stops when nobody waits any more.
import { setTimeout } from 'node:timers/promises';

export default async ({ nights }, { signal }) => {
  await setTimeout(300, undefined, { signal });
  return { nights, price: 120 * nights };
};
