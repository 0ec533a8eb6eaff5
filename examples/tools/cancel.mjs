// Writes. What the store throws is translated by a table, not by a catch-all.
import { ToolErrorMap, refusal, transient } from 'toolgate/errors';
import { NoSuchBooking, remove } from './store.mjs';

const STORE = new ToolErrorMap({
  classes: [[NoSuchBooking, refusal('no_such_booking', 'This guest has no booking.')]],
  codes: { ECONNREFUSED: transient('store_down', { retryAfterMs: 2000 }) },
});

export default async ({ guest }) => {
  try {
    remove(guest);
  } catch (error) {
    throw STORE.classify(error);
  }
  return { cancelled: true };
};
