// Only reads: `verify` may ask it.
import { find } from './store.mjs';

export default async ({ guest }) => ({ booking: find(guest) ?? null });
